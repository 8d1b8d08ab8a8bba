type Result = IteratorResult<unknown, unknown>;

/** A read past a stream: answered at once, or by a promise; `undefined` is the end. */
export type DirectRead = () => object | undefined | Promise<object | undefined>;

const reads = new WeakMap<object, DirectRead>();

/**
 * Lets a pipeline read past a `ReadableStream` that keeps no chunk of its own: a promise for each costs more than the
 * rest. The stream is locked meanwhile and cancelled as ever, and closes itself when `read` answers the end.
 */
export function setDirectRead(stream: object, read: DirectRead): void {
  reads.set(stream, read);
}

/** How a stream is read past, if it may be. */
export function getDirectRead(stream: object): DirectRead | undefined {
  return reads.get(stream);
}

/** Answers its caller at once: a promise would answer only after a turn of the microtasks. */
class Answer {
  result: Result | undefined;

  then<R>(onFulfilled: (result: Result) => R): PromiseLike<R> {
    onFulfilled(this.result!);
    // What is read one by one is not chained.
    return this as unknown as PromiseLike<R>;
  }
}

function toResult(chunk: object | undefined): Result {
  return { done: chunk === undefined, value: chunk };
}

/** The `next` of a source that reads past `stream`, if it may. */
export function directNext(stream: object): (() => PromiseLike<Result>) | undefined {
  const read = reads.get(stream);
  if (read === undefined) return undefined;
  const answer = new Answer();
  return () => {
    const chunk = read();
    if (chunk instanceof Promise) return chunk.then(toResult);
    answer.result = toResult(chunk);
    return answer as unknown as PromiseLike<Result>;
  };
}
