type Result = IteratorResult<unknown, unknown>;

/** A source as `pipeline` pulls it: asked by its iterator where it answers at once, else by `next`. */
export type PullSource =
  & SourceEnd
  & ({ readonly iterator: Iterator<unknown> } | { next(): PromiseLike<Result> });

interface SourceEnd {
  /** Gives the source up; called at most once, and not after it has ended or failed. */
  cancel(reason: unknown): unknown;
  /** Lets go of a source that has ended or failed. */
  release(): void;
}

function openStream(stream: ReadableStream<unknown>): PullSource {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<Result>,
    cancel: (reason) => reader.cancel(reason).finally(() => reader.releaseLock()),
    release: () => reader.releaseLock(),
  };
}

function openAsyncIterator(iterator: AsyncIterator<unknown>): PullSource {
  let isReading = false;
  return {
    async next() {
      isReading = true;
      try {
        return await iterator.next();
      } finally {
        isReading = false;
      }
    },
    cancel() {
      const result = iterator.return?.();
      // A generator answers `return()` only after the `next()` it hangs in, which may be never.
      if (!isReading) return result;
      Promise.resolve(result).catch(() => {});
    },
    release() {},
  };
}

function openIterator(iterator: Iterator<unknown>): PullSource {
  return {
    iterator,
    cancel: () => void iterator.return?.(),
    release() {},
  };
}

/** Waits for a chunk that an iterator gave as a promise, as `for await` does; closes the iterator if it fails. */
export async function awaitChunk(
  iterator: Iterator<unknown>,
  chunk: PromiseLike<unknown>,
): Promise<Result> {
  try {
    return { done: false, value: await chunk };
  } catch (reason) {
    iterator.return?.();
    throw reason;
  }
}

/** Tells what `source` is, without touching it. */
function kindOf(source: unknown): "stream" | "async" | "sync" | undefined {
  if (source === null || source === undefined) return undefined;
  const candidate = source as Record<PropertyKey, unknown>;
  if (typeof source === "object" && typeof candidate.getReader === "function") return "stream";
  if (typeof candidate[Symbol.asyncIterator] === "function") return "async";
  if (typeof candidate[Symbol.iterator] === "function") return "sync";
  return undefined;
}

/** Throws unless `source` is one that `openSource` can open. */
export function checkSource(source: unknown): void {
  const kind = kindOf(source);
  if (kind === undefined) {
    throw new TypeError(
      `Cannot run pipeline: source must be a ReadableStream, an iterable or an async iterable, got ${
        source === null ? "null" : typeof source
      }`,
    );
  }
  if (kind === "stream" && (source as ReadableStream).locked) {
    throw new TypeError("Cannot run pipeline: source is locked to another reader");
  }
}

/** Opens a source that `checkSource` let pass. */
export function openSource(source: unknown): PullSource {
  switch (kindOf(source)) {
    case "stream":
      return openStream(source as ReadableStream<unknown>);
    case "async":
      return openAsyncIterator((source as AsyncIterable<unknown>)[Symbol.asyncIterator]());
    default:
      return openIterator((source as Iterable<unknown>)[Symbol.iterator]());
  }
}
