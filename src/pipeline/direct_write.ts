/** A write past a stream; a promise is about room for the next, and never rejects. */
export type DirectWrite = (chunk: unknown) => void | Promise<void>;

interface DirectSink {
  readonly write: DirectWrite;
  /** Settles once all that it was given is written, or has failed. */
  readonly written: () => PromiseLike<unknown>;
}

const sinks = new WeakMap<object, DirectSink>();

/**
 * Lets a pipeline write past a `WritableStream`, whose promises cost more than the rest. It is locked meanwhile, and
 * closed, aborted and failed as ever.
 */
export function setDirectWrite(stream: object, sink: DirectSink): void {
  sinks.set(stream, sink);
}

/** The sink of a stream, which is written past where it may be: what was handed over is then with the sink itself. */
export function withDirectWrite<Sink extends object>(stream: object, sink: Sink): Sink {
  const direct = sinks.get(stream);
  if (direct === undefined) return sink;
  const { write, written } = direct;
  return { ...sink, write, written: () => undefined, leave: written, takesOne: undefined };
}
