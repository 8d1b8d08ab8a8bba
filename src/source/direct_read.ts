type Result = IteratorResult<unknown, unknown>;

/** A read that is not answered yet. What is read one by one is not chained, and may be answered by a call in the same step. */
export interface PendingRead {
  then(
    onFulfilled: (result: Result) => unknown,
    onRejected: (reason: unknown) => unknown,
  ): unknown;
}

/** Whether a read past a stream is not answered yet. */
export function isPending(read: Result | PendingRead): read is PendingRead {
  return "then" in read;
}

/** What reads past a stream. */
export interface DirectRead {
  /** Reads one chunk: answered at once, or later. */
  next(): Result | PendingRead;
  /** Whether nothing is in the stream or on its way there: what is would be passed. Default: yes. */
  readonly isClear?: boolean;
  /** It reads no more: what a pending read comes to is the stream's. */
  release?(): void;
}

const reads = new WeakMap<object, DirectRead>();

/**
 * Lets a pipeline read past a `ReadableStream` that keeps no chunk of its own: a promise for each costs more than the
 * rest. The stream is locked meanwhile and cancelled as ever, and closes itself when a read answers the end.
 */
export function setDirectRead(stream: object, read: DirectRead): void {
  reads.set(stream, read);
}

/** How a stream is read past, if it may be now. */
export function getDirectRead(stream: object): DirectRead | undefined {
  const read = reads.get(stream);
  return read?.isClear === false ? undefined : read;
}

/** Answers its caller at once: a promise would answer only after a turn of the microtasks. */
class Answer implements PendingRead {
  result: Result | undefined;

  then(onFulfilled: (result: Result) => unknown): void {
    onFulfilled(this.result!);
  }
}

/** The `next` of a source that is read past its stream. */
export function directNext(read: DirectRead): () => PendingRead {
  const answer = new Answer();
  return () => {
    const result = read.next();
    if (isPending(result)) return result;
    answer.result = result;
    return answer;
  };
}
