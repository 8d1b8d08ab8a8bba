/** A write past a stream; a promise is about room for the next, and never rejects. */
export type DirectWrite = (chunk: unknown) => void | Promise<void>;

const writes = new WeakMap<object, DirectWrite>();

/**
 * Lets a pipeline write past a `WritableStream`, whose promises cost more than the rest. It is locked meanwhile, and
 * closed, aborted and failed as ever.
 */
export function setDirectWrite(stream: object, write: DirectWrite): void {
  writes.set(stream, write);
}

/** The sink of a stream, which is written past where it may be: what was handed over is then with the sink itself. */
export function withDirectWrite<Sink extends object>(stream: object, sink: Sink): Sink {
  const write = writes.get(stream);
  return write === undefined
    ? sink
    : { ...sink, write, written: () => undefined, takesOne: undefined };
}
