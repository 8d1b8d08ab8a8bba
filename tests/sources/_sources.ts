/** The kinds of sources that are tested everywhere. */
export const kinds = ["stream", "async", "sync"] as const;
export type Kind = typeof kinds[number];

/** A source that counts, and what became of it. */
export interface Counted {
  readonly source: ReadableStream<number> | AsyncIterable<number> | Iterable<number>;
  /** How often it was asked. */
  readonly reads: number;
  /** How often it was cancelled; an iterator's `return()` counts. */
  readonly cancels: number;
}

/** Gives `first`, `first + 1` and so on, `length` of them, and then closes or fails. */
export function counted(
  kind: Kind,
  length: number = Infinity,
  { first = 0, failure }: { first?: number; failure?: { readonly reason: unknown } } = {},
): Counted {
  let reads = 0;
  let cancels = 0;
  const next = (): IteratorResult<number, undefined> => {
    if (reads++ < length) return { done: false, value: first + reads - 1 };
    if (failure !== undefined) throw failure.reason;
    return { done: true, value: undefined };
  };
  const end = (): IteratorResult<number, undefined> => {
    cancels++;
    return { done: true, value: undefined };
  };
  const stream = (): ReadableStream<number> =>
    new ReadableStream<number>({
      pull(controller) {
        const { done, value } = next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void end(),
    }, { highWaterMark: 0 });
  const source = kind === "stream" ? stream() : kind === "async"
    ? {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve().then(next),
        return: () => Promise.resolve(end()),
      }),
    }
    : { [Symbol.iterator]: () => ({ next, return: end }) };
  return {
    source,
    get reads() {
      return reads;
    },
    get cancels() {
      return cancels;
    },
  };
}

/** A source that gives what it is given, when it is; and ends or fails when that is said. */
export function driven<T>() {
  let controller!: ReadableStreamDefaultController<T>;
  let reads = 0;
  const cancelReasons: unknown[] = [];
  const asked: (() => void)[] = [];
  const source = new ReadableStream<T>({
    start: (given) => void (controller = given),
    pull() {
      reads++;
      return new Promise<void>((resolve) => asked.push(resolve));
    },
    cancel(reason) {
      cancelReasons.push(reason);
      asked.shift()?.();
    },
  }, { highWaterMark: 0 });
  return {
    source,
    cancelReasons,
    get reads() {
      return reads;
    },
    give(chunk: T) {
      controller.enqueue(chunk);
      asked.shift()?.();
    },
    close() {
      controller.close();
      asked.shift()?.();
    },
    fail(reason: unknown) {
      controller.error(reason);
      asked.shift()?.();
    },
  };
}

/** An async iterator whose `next()` never answers, and which says nothing when it is given up. */
export function hanging() {
  let returns = 0;
  const iterator = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => new Promise<never>(() => {}),
    return() {
      returns++;
      return new Promise<never>(() => {});
    },
  };
  return {
    source: iterator as AsyncIterable<number>,
    get returns() {
      return returns;
    },
  };
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

/** Reads a stream until it ends or fails. */
export async function drain<T>(
  stream: ReadableStream<T>,
): Promise<{ chunks: T[]; error: [error: unknown] | "none" }> {
  const chunks: T[] = [];
  const reader = stream.getReader();
  const read = async () => {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      chunks.push(value);
    }
  };
  return { error: await errorOf(read()), chunks };
}

/** Falsy and other reasons, none of which may get lost. */
export const reasons: readonly unknown[] = [undefined, null, 0, new Error("on purpose")];

/** Counts the timers that are set and neither fired nor cleared, while `body` runs. */
export async function withTimerCount(body: (pending: () => number) => Promise<void>) {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  const countedSet = (callback: (...args: unknown[]) => void, delay?: number) => {
    const timer = set(() => {
      pending.delete(timer);
      callback();
    }, delay);
    pending.add(timer);
    return timer;
  };
  globalThis.setTimeout = countedSet as typeof setTimeout;
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

/** A signal that counts its listeners. */
export function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args as never);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args as never);
  };
  return {
    signal,
    abort: (reason: unknown) => controller.abort(reason),
    get listeners() {
      return listeners.size;
    },
  };
}
