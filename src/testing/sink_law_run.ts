import { createDeferred } from "../deferred.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { noteActivity } from "./activity.ts";
import type { CheckedSink, CheckSinkOptions, MadeFrom, WatchedWrites } from "./end_law_types.ts";
import { type HeldWatch, noteCall, runHeld } from "./held_run.ts";
import { startOther } from "./other_run.ts";
import type { SinkProgram, SinkRun } from "./sink_law_types.ts";
import { openWatchedSink } from "./sink_subject.ts";
import { waitTurns } from "./wait_turns.ts";
import { newNoted, watchedWrites } from "./watched_writes.ts";

// deno-lint-ignore no-explicit-any -- sinks of any chunks
type Any = any;

/** What programs are run with. */
export interface SinkSubject {
  readonly make: (context: MadeFrom<WatchedWrites>) => CheckedSink;
  readonly makeFailing: CheckSinkOptions["makeFailing"];
  readonly written: CheckSinkOptions["written"];
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
  /** Whether it has taken what it may stand on. */
  isWatched: boolean;
}

const ignore = () => {};
const copy = (chunk: unknown) => chunk instanceof Uint8Array ? chunk.slice() : chunk;

/** Writes as a writer does, each chunk when there is room, or all at once. */
async function writeAll(
  sink: WritableStream,
  given: readonly unknown[],
  { give, then, reason, slow, isEager }: SinkProgram,
  accept: () => void,
  signal: AbortSignal,
): Promise<void> {
  const writer = sink.getWriter();
  const aborted = createDeferred<void>();
  const abort = () => {
    writer.abort(signal.reason).then(() => aborted.reject(signal.reason), aborted.reject);
  };
  signal.addEventListener("abort", abort, { once: true });
  aborted.promise.catch(ignore);
  writer.closed.catch(ignore);
  writer.ready.catch(ignore);
  const end = async () => {
    const writes: Promise<void>[] = [];
    for (let n = 0; n < give; n++) {
      if (slow === "source") await waitTurns(10);
      if (!isEager) await writer.ready;
      const write = writer.write(copy(given[n]));
      write.then(accept, ignore);
      writes.push(write);
    }
    if (then === "end") await writer.close();
    if (then === "fail") await writer.abort(reason);
    if (then === "stall") {
      await Promise.all(writes);
      await writer.closed;
    }
  };
  try {
    await Promise.race([end(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    writer.releaseLock();
  }
}

/** Runs one program on virtual time, and says what the sink, what it stands on and the realm have seen. */
export async function runSinkProgram(subject: SinkSubject, program: SinkProgram): Promise<SinkRun> {
  const { way, give, then, stop, reason, slow, isFailing, before } = program;
  const controller = new AbortController();
  const { signal } = controller;
  const given = subject.chunks();
  const hung = createDeferred<void>();
  const noted = newNoted();
  const cancels: unknown[] = [];
  let [accepted, reads] = [0, 0];
  let readBack: readonly unknown[] | undefined;
  const watch: HeldWatch = { isOver: false, late: [] };
  const underlying = watchedWrites(program, noted, watch, hung.promise);
  const context: MadeFrom<WatchedWrites> = {
    signal,
    get underlying() {
      subject.isWatched = true;
      return underlying;
    },
  };
  const source = new ReadableStream<unknown>({
    async pull(controller) {
      noteActivity();
      if (slow === "source") await waitTurns(10);
      if (reads < give) return controller.enqueue(copy(given[reads++]));
      if (then === "end") return controller.close();
      if (then === "fail") return controller.error(reason);
      await hung.promise;
    },
    cancel: (reason) => void cancels.push(reason),
  }, { highWaterMark: 0 });
  let sink: WritableStream | ((chunk: unknown) => unknown) | undefined;
  return await runHeld({
    io: subject.io,
    controller,
    program,
    watch,
    startOther: before === undefined ? undefined : () => startOtherSink(subject, program),
    start() {
      const made = isFailing ? subject.makeFailing!(reason, context) : subject.make(context);
      sink = openWatchedSink(made, (call) => noteCall(watch, call));
      const work = way === "writer"
        ? writeAll(sink as WritableStream, given, program, () => void accepted++, signal)
        : way === "pipeTo"
        ? source.pipeTo(sink as WritableStream, { signal })
        : (pipeline as Any)(source, sink, { signal });
      const { written } = subject;
      return Promise.resolve({
        work: written === undefined || stop !== undefined || then !== "end" || isFailing
          ? work
          : work.then(async () => void (readBack = await written(made))),
      });
    },
    locks: () => [
      ...(way !== "writer" && source.locked ? ["source"] : []),
      ...((sink as Partial<WritableStream> | undefined)?.locked ? ["sink"] : []),
    ],
    free: () => hung.resolve(),
  }, () => ({
    ...noted,
    chunks: readBack ?? (subject.isWatched ? [...noted.chunks] : undefined),
    accepted,
    reads,
    cancels: [...cancels],
  }));
}

/** Starts another run into a sink of its own, which stands still after a chunk. */
function startOtherSink(subject: SinkSubject, program: SinkProgram): { stop(): Promise<void> } {
  const quiet = { ...program, stop: undefined } as unknown as SinkProgram;
  const watch: HeldWatch = { isOver: false, late: [] };
  const underlying = watchedWrites(quiet, newNoted(), watch, Promise.resolve());
  return startOther(subject.chunks().slice(0, 1).map(copy), (source, signal) => {
    const sink = openWatchedSink(subject.make({ signal, underlying }), noteActivity);
    return (pipeline as Any)(source, sink, { signal });
  });
}
