/** A stream of chunks that is read only on demand, and tells how often and whether it was cancelled. */
export interface CountingSource<T> {
  readonly readable: ReadableStream<T>;
  readonly pulls: number;
  readonly cancelReasons: readonly unknown[];
}

/** Reads numbers from 0 on, without end or up to `length`. */
export function countingSource(length: number = Infinity): CountingSource<number> {
  let pulls = 0;
  const cancelReasons: unknown[] = [];
  const readable = new ReadableStream<number>({
    pull(controller) {
      if (pulls === length) return controller.close();
      controller.enqueue(pulls++);
    },
    cancel: (reason) => void cancelReasons.push(reason),
  }, { highWaterMark: 0 });
  return {
    readable,
    cancelReasons,
    get pulls() {
      return pulls;
    },
  };
}

/** Runs chunks through a native stream of the transformer, and gathers what comes out. */
export function run<I, O>(chunks: Iterable<I>, transformer: Transformer<I, O>): Promise<O[]> {
  return Array.fromAsync(from(chunks).pipeThrough(new TransformStream(transformer)));
}

/** A stream of the chunks. */
export function from<T>(chunks: Iterable<T>): ReadableStream<T> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

/** What a promise is rejected with, in an array, since `undefined` is an error too. */
export async function errorOf(promise: PromiseLike<unknown>): Promise<[error: unknown] | "none"> {
  try {
    await promise;
  } catch (error) {
    return [error];
  }
  return "none";
}

/** Gives the event loop some turns. */
export async function turns(count: number = 5): Promise<void> {
  while (count-- > 0) await new Promise((resolve) => setTimeout(resolve));
}

/** A function that returns promises, and the handles to settle them with, in the order of the calls. */
export function held<O, Arguments extends unknown[] = unknown[]>() {
  const calls: { args: Arguments; resolve(value: O): void; reject(error: unknown): void }[] = [];
  const fn = (...args: Arguments): Promise<O> =>
    new Promise<O>((resolve, reject) => calls.push({ args, resolve, reject }));
  return { fn, calls };
}

/** Calls `transform` directly, with a controller that only gathers: shows what is answered at once. */
export function callTransform<I, O>(transformer: Transformer<I, O>, chunk: I) {
  const enqueued: O[] = [];
  const controller = {
    desiredSize: 1,
    enqueue: (value: O) => void enqueued.push(value),
  } as unknown as TransformStreamDefaultController<O>;
  transformer.start?.(controller);
  return { result: transformer.transform!(chunk, controller) as unknown, enqueued };
}

/** Counts the timers that are set and neither fired nor cleared, while `body` runs. */
export async function withTimerCount(
  body: (pending: () => number) => Promise<void>,
): Promise<void> {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  const counted = (callback: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) => {
    const timer = set(() => {
      pending.delete(timer);
      callback(...args);
    }, delay);
    pending.add(timer);
    return timer;
  };
  globalThis.setTimeout = counted as typeof setTimeout;
  globalThis.clearTimeout = ((timer?: number) => {
    pending.delete(timer);
    clear(timer);
  }) as typeof clearTimeout;
  try {
    await body(() => pending.size);
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
}
