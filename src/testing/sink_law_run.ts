import { createDeferred } from "../deferred.ts";
import { throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { noteActivity } from "./activity.ts";
import {
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  noteCall,
  runHeld,
  waitTurns,
} from "./held_run.ts";
import type { CheckedSink, CheckSinkOptions, MadeFrom, WatchedWrites } from "./law_types.ts";
import { startOther } from "./other_run.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";

/** How a sink is written to. */
export type SinkWay = "writer" | "pipeTo" | "pipeline";

/** One run into a sink. */
export interface SinkProgram extends
  HeldProgram<
    SinkWay,
    "abort" | "write fails" | "write hangs" | "close fails",
    "underlying" | "source"
  > {
  /** Whether all is written at once. */
  readonly isEager?: boolean;
  /** Another run that stands still meanwhile. */
  readonly before?: "other";
}

/** What a program's run has shown. */
export interface SinkRun extends HeldOutcome {
  /** What has arrived below, or is read back. */
  readonly chunks: readonly unknown[] | undefined;
  /** How many writes the sink has called done. */
  readonly accepted: number;
  /** How many chunks the source has given. */
  readonly reads: number;
  readonly cancels: readonly unknown[];
  readonly aborts: readonly unknown[];
  readonly closes: number;
  /** How many writes below had begun when one of them failed, and in all. */
  readonly begunAtFailure: number | undefined;
  readonly begun: number;
  /** What was asked of what it stands on while that was busy. */
  readonly overlap: string | undefined;
}

/** A program in words, as a report has it. */
export function describeSinkProgram(program: SinkProgram): string {
  const { way, give, then, stop, at = 0, reason, slow, isEager, before, isFailing } = program;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before && "while another run stands still",
    isFailing && `the sink fails${why}`,
    `the ${slow === "source" ? "slow " : ""}source gives ${chunks}${
      isEager ? " at once" : ""
    }, then ${then}s${then === "fail" ? why : ""}`,
    slow === "underlying" && "what it stands on is slow",
    stop && `${stop}${stop === "close fails" ? "" : ` after ${at}`}${why}`,
  ].filter(Boolean).join(", ");
}

/** Nothing noted yet. */
const newNoted = () => ({
  chunks: [] as unknown[],
  aborts: [] as unknown[],
  closes: 0,
  begun: 0,
  begunAtFailure: undefined as number | undefined,
  overlap: undefined as string | undefined,
});

/** What a sink's run has noted. */
type NotedWrites = ReturnType<typeof newNoted>;

/** What a sink under test stands on. */
function watchedWrites(
  { stop, at = 0, reason, slow }: SinkProgram,
  run: NotedWrites,
  watch: HeldWatch,
  hung: Promise<void>,
): WatchedWrites {
  let isBusy = false;
  const note = (call: string) => {
    noteCall(watch, `underlying.${call}`);
    if (isBusy && call !== "abort") run.overlap ??= `${call} was called before a write had settled`;
  };
  return {
    async write(chunk) {
      note("write");
      const n = run.begun++;
      isBusy = true;
      try {
        if (slow === "underlying") await waitTurns(10);
        if (stop === "write hangs" && n >= at) await hung;
        if (stop === "write fails" && n >= at) {
          run.begunAtFailure ??= run.begun;
          throw reason;
        }
      } finally {
        isBusy = false;
      }
      noteActivity();
      run.chunks.push(chunk);
    },
    async close() {
      note("close");
      run.closes++;
      if (slow === "underlying") await waitTurns(10);
      if (stop === "close fails") throw reason;
    },
    abort(reason) {
      note("abort");
      run.aborts.push(reason);
      return Promise.resolve();
    },
  };
}

/** What a sink can be. */
export type SinkKind = "stream" | "dictionary" | "function";

/** Where the methods of an underlying sink have their controller. */
const controllerPlaces = { start: 0, write: 1, close: -1, abort: -1 };

/** What a sink is; throws if it is none. */
export function kindOfSink(sink: CheckedSink): SinkKind {
  if (typeof sink === "function") return "function";
  if (sink === null || typeof sink !== "object") {
    throwTypeError("check sink", "sink", "a stream, an underlying sink or a function", sink);
  }
  return typeof (sink as Partial<WritableStream>).getWriter === "function"
    ? "stream"
    : "dictionary";
}

/** The sink as it is written to: an underlying sink becomes a stream, with an eye on what it does. */
function openWatchedSink(made: CheckedSink, note: (call: string) => void) {
  return kindOfSink(made) === "dictionary"
    ? new WritableStream(watchMembers(made, controllerPlaces, note) as Any)
    : made as WritableStream | ((chunk: unknown) => unknown);
}

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
