import type { Failure } from "../engine/ports.ts";
import { describeValue } from "../errors.ts";
import { describeGenerator, generatorTag } from "../generator_tag.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { withJoinedWrites } from "./joined_writes.ts";

/** A sink as `pipeline` pushes to it. */
export interface PushSink {
  /** Whether what `write` answers is about room, not about the chunk. */
  readonly isStream: boolean;
  /** Something to wait for before the first chunk, if the sink has no room yet. */
  readonly ready: PromiseLike<unknown> | undefined;
  /** Of a stream, whether what `write` answers is about that chunk alone after all. */
  takesOne?(): boolean;
  /** Writes one chunk, called without a receiver; a promise settles when the next may come. */
  readonly write: (this: void, chunk: unknown) => unknown;
  /** Hands over what it has joined so far, to be called before a run waits; answers as `write` does. */
  flush?(): unknown;
  /** Settles once everything that was handed over is written, or has failed. */
  written(): PromiseLike<unknown> | undefined;
  /** What to wait for instead of `written`, if it is left open. */
  leave?(): PromiseLike<unknown>;
  close(): PromiseLike<void> | undefined;
  /** Ends the sink, and says why. Fulfils with what it had failed with by itself before, if it had. */
  abort(reason: unknown): PromiseLike<Failure | undefined> | undefined;
  release(): void;
  /** Fulfils when the sink fails or closes by itself. */
  readonly ended: Promise<SinkEnd> | undefined;
}

/** How a sink has ended by itself. */
export interface SinkEnd {
  readonly reason: unknown;
  /** It was closed, which no stage of ours does. */
  readonly wasClosed: boolean;
}

function ignore(): void {}

/** Whether `sink` is something a pipeline can end in. */
export function isSink(sink: unknown): boolean {
  return typeof sink === "function" ||
    (typeof sink === "object" && sink !== null &&
      typeof (sink as { getWriter?: unknown }).getWriter === "function");
}

/** Throws unless `sink` is one that `openSink` can open; touches nothing. */
export function checkPipelineSink(action: string, sink: unknown): void {
  if (!isSink(sink)) {
    const got = describeValue(sink);
    const advice = got === "a Node stream"
      ? '; use fromNode(writable, { as: "writable" }) from @hosepipe/streams/node'
      : "";
    throw new TypeError(
      `Cannot ${action}: sink must be a WritableStream or a function, and come after the stages, ` +
        `got ${got}${advice}`,
    );
  }
  const tag = generatorTag(sink);
  if (tag !== undefined) {
    throw new TypeError(`Cannot ${action}: sink must not be ${describeGenerator(tag)}`);
  }
  if ((sink as WritableStream).locked) {
    throw new TypeError(`Cannot ${action}: sink is locked to another writer`);
  }
}

/** Opens a sink that `checkPipelineSink` let pass. */
export function openSink(sink: unknown): PushSink {
  return typeof sink === "function"
    ? openFunction(sink as (chunk: unknown) => unknown)
    : withJoinedWrites(
      sink as object,
      openStream(sink as WritableStream<unknown>),
    );
}

function openFunction(write: (chunk: unknown) => unknown): PushSink {
  return {
    isStream: false,
    ready: undefined,
    write,
    written: () => undefined,
    close: () => undefined,
    abort: () => undefined,
    release: ignore,
    ended: undefined,
  };
}

function openStream(stream: WritableStream<unknown>): PushSink {
  const writer = stream.getWriter();
  // Where the queue holds one chunk, it has room again when that is written: the promise of the write will do.
  let holdsOne = writer.desiredSize === 1;
  let last: Promise<void> | undefined;
  const { closed } = writer;
  const { started, written: rest, direct } = endMeaningOf(stream) ?? {};
  writer.ready.catch(ignore);
  // It had failed before, or is about to: then it waits for its start, and an abort is answered by its own failure.
  let hadFailed = false;
  let wasFailing = false;
  if (writer.desiredSize === null) {
    closed.catch(() => hadFailed = true);
    void Promise.resolve().then(() => wasFailing = !hadFailed);
  }
  const sink: PushSink = {
    isStream: true,
    takesOne: () => holdsOne,
    // What a stream is given before it has started, it writes in the async context that it was made in.
    ready: (writer.desiredSize ?? 0) > 0 ? started?.() : writer.ready,
    write(chunk) {
      const promise = last = writer.write(chunk);
      const { desiredSize } = writer;
      if (desiredSize !== null && desiredSize > 0) {
        holdsOne = false;
        // A failed write also fails the stream, which is where its reason is taken from.
        promise.then(undefined, ignore);
        return undefined;
      }
      if (holdsOne) return promise;
      promise.then(undefined, ignore);
      const { ready } = writer;
      ready.then(undefined, ignore);
      return ready;
    },
    written() {
      if (last === undefined || rest === undefined) return last;
      const all = last.then(rest);
      all.catch(ignore);
      return all;
    },
    // One that has failed or is closing by itself says how that goes, and what it refused meanwhile.
    close: () => writer.close().catch(() => writer.closed.then(() => last)),
    async abort(reason) {
      try {
        await writer.abort(reason);
        if (!wasFailing) return undefined;
      } catch {
        // What it failed with says more than how its abort did.
      }
      return await closed.then(() => undefined, (own) => ({ failed: true, reason: own }));
    },
    release: () => writer.releaseLock(),
    // A pipe looks at its ends in this order: source failed, sink failed, source ended, sink closed.
    ended: writer.closed.then(
      async () => {
        await undefined;
        const reason = new TypeError("Cannot write: the sink is already closed");
        return { reason, wasClosed: true };
      },
      (reason) => ({ reason, wasClosed: false }),
    ),
  };
  if (direct === undefined) return sink;
  // What was handed over is then with the sink itself.
  const { write, written } = direct;
  return { ...sink, write, written: () => undefined, leave: written, takesOne: undefined };
}
