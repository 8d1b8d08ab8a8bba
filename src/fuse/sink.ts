/** A sink as `pipeline` pushes to it. */
export interface PushSink {
  /** Something to wait for before the first chunk, if the sink has no room yet. */
  readonly ready: PromiseLike<unknown> | undefined;
  /** Writes one chunk, called without a receiver; a promise tells when the next may come. */
  readonly write: (this: void, chunk: unknown) => unknown;
  close(): PromiseLike<void> | undefined;
  /** Tells the sink that no more comes, and why. */
  abort(reason: unknown): PromiseLike<void> | undefined;
  release(): void;
  /** Fulfils with the reason when the sink fails or closes by itself. */
  readonly failure: Promise<{ reason: unknown }> | undefined;
}

/** Whether `sink` is something a pipeline can end in. */
export function isSink(sink: unknown): boolean {
  return typeof sink === "function" ||
    (typeof sink === "object" && sink !== null &&
      typeof (sink as { getWriter?: unknown }).getWriter === "function");
}

/** Opens a sink that `isSink` let pass. */
export function openSink(sink: unknown): PushSink {
  return typeof sink === "function"
    ? openFunction(sink as (chunk: unknown) => unknown)
    : openStream(sink as WritableStream<unknown>);
}

function openFunction(write: (chunk: unknown) => unknown): PushSink {
  return {
    ready: undefined,
    write,
    close: () => undefined,
    abort: () => undefined,
    release() {},
    failure: undefined,
  };
}

function ignore(): void {}

function openStream(stream: WritableStream<unknown>): PushSink {
  const writer = stream.getWriter();
  const failure = writer.closed.then(
    () => ({ reason: new TypeError("Cannot write: the sink is already closed") }),
    (reason) => ({ reason }),
  );
  const waitForRoom = () => (writer.desiredSize ?? 0) > 0 ? undefined : writer.ready;
  writer.ready.catch(ignore);
  return {
    ready: waitForRoom(),
    write(chunk) {
      // A failed write also errors the stream, which is where its reason is taken from.
      writer.write(chunk).catch(ignore);
      return waitForRoom();
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
    release: () => writer.releaseLock(),
    failure,
  };
}
