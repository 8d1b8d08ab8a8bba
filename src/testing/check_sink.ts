import { createDeferred } from "../deferred.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { callback, integer } from "../read_options.ts";
import { noteActivity } from "./activity.ts";
import { expectedOf, readLawOptions } from "./check_law_options.ts";
import {
  describeHeld,
  heardProblem,
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  lastLaws,
  noteCall,
  rejectionProblem,
  runHeld,
  startOther,
  waitTurns,
} from "./held_run.ts";
import type {
  CheckedSink,
  CheckResult,
  CheckSinkOptions,
  MadeFrom,
  WatchedWrites,
} from "./law_types.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import { type InWays, type Knowledge, type Law, reasons, tryLaws, wholes } from "./try_laws.ts";
import { watchMembers } from "./watch_members.ts";

/** How a sink is written to. */
type SinkWay = "writer" | "pipeTo" | "pipeline";

/** One run into a sink. */
interface SinkProgram extends
  HeldProgram<
    SinkWay,
    "abort" | "write fails" | "write hangs" | "close fails",
    "underlying" | "source"
  > {
  readonly before?: "other";
}

/** What a program's run has shown. */
interface SinkRun extends HeldOutcome {
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
type SinkKind = "stream" | "dictionary" | "function";

/** Where the methods of an underlying sink have their controller. */
const controllerPlaces = { start: 0, write: 1, close: -1, abort: -1 };

/** What a sink is; throws if it is none. */
function kindOfSink(sink: CheckedSink): SinkKind {
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
interface SinkSubject {
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
async function runSinkProgram(subject: SinkSubject, program: SinkProgram): Promise<SinkRun> {
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

/** What a law knows of the sink. */
interface SinkKnowledge extends Knowledge<SinkWay> {
  readonly kind: SinkKind;
  /** Whether it writes to what the laws watch. */
  readonly isWatched: boolean;
  /** How many chunks may be taken before they are written. */
  readonly writeAhead: number;
}

type SinkRest = InWays<SinkProgram>;
type SinkLaw = Law<SinkProgram, SinkRun, SinkKnowledge>;

const paces = ({ count }: SinkKnowledge): SinkRest[] => [
  { give: count, then: "end", slow: "underlying" },
  { give: count, then: "end", slow: "source" },
  { ways: ["writer"], give: count, then: "end", slow: "underlying", isEager: true },
];

function endProblem(
  { state, reason, closes, aborts }: SinkRun,
  { kind, isWatched }: SinkKnowledge,
): string | undefined {
  if (state === "pending") return "the run has not ended";
  if (state === "rejected") return `the run failed with ${printChunk(reason)}`;
  if (!isWatched || kind === "function") return;
  if (closes !== 1) return `what it stands on was closed ${closes} times`;
  return aborts.length > 0 ? "what it stands on was aborted, too" : undefined;
}

const outputProblem: SinkLaw["problem"] = ({ state, chunks }, { give }, { expected, isSame }) => {
  const wanted = expected(give);
  if (state !== "fulfilled" || chunks === undefined || wanted === undefined) return;
  if (isSame(chunks, wanted)) return;
  return `${drawBuffer(chunks)} was written, not ${drawBuffer(wanted)}`;
};

const wholeProblem: SinkLaw["problem"] = (run, program, knowledge) =>
  endProblem(run, knowledge) ?? outputProblem(run, program, knowledge);

const abortProblem: SinkLaw["problem"] = (run, _, { kind, isWatched }) =>
  rejectionProblem(run) ??
    (!isWatched || kind === "function"
      ? undefined
      : heardProblem("what it stands on", run.aborts, run.stopReason) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined));

/** Tells unless the run has failed with the reason, and the source of a pipe has heard it. */
const failProblem = (run: SinkRun, { way }: SinkProgram): string | undefined =>
  rejectionProblem(run) ??
    (way === "writer" ? undefined : heardProblem("the source", run.cancels, run.stopReason));

const stops = ({ count, isWatched }: SinkKnowledge): SinkRest[] => {
  const [reason] = reasons;
  const failing: SinkRest = { give: count, then: "stall", stop: "write fails", at: 1, reason };
  return [
    { give: count, then: "end" },
    { give: 1, then: "stall", stop: "abort", reason },
    ...(isWatched ? [failing] : []),
  ];
};

/** The laws of sinks by their names, in the order in which they are tried. */
const sinkLaws: Readonly<Record<string, SinkLaw>> = {
  ends: { programs: wholes, problem: (run, _, knowledge) => endProblem(run, knowledge) },
  output: { programs: wholes, problem: outputProblem },
  pace: { programs: paces, problem: wholeProblem },
  fresh: {
    programs: ({ count }) => [{ give: count, then: "end", before: "other" }],
    problem: wholeProblem,
  },
  oneAtATime: { programs: paces, problem: ({ overlap }) => overlap },
  backpressure: {
    programs: ({ count }) => [
      { give: 1, then: "end", stop: "write hangs", at: 0 },
      { give: count, then: "stall", stop: "write hangs", at: 0 },
    ],
    problem({ state, reads, accepted }, { then, way }, { writeAhead }) {
      if (then === "end" && state !== "pending") return "it has ended before its write had settled";
      if (then === "end" || way === "writer" && accepted <= writeAhead) return;
      if (way === "writer") return `${accepted} writes were called done that were not`;
      const most = 2 + writeAhead;
      return reads > most
        ? `it took ${reads} chunks while its write hung, more than ${most}`
        : undefined;
    },
  },
  abort: {
    programs: () =>
      [0, 1].map((give) => ({ give, then: "stall", stop: "abort", reason: reasons[0] })),
    problem: abortProblem,
  },
  sourceError: {
    programs: () =>
      reasons.flatMap((reason): SinkRest[] => [
        { ways: ["pipeTo", "pipeline"], give: 0, then: "fail", reason },
        { ways: ["pipeTo", "pipeline"], give: 1, then: "fail", reason },
      ]),
    problem: abortProblem,
  },
  writeError: {
    programs: ({ count }) =>
      reasons.flatMap((reason): SinkRest[] => [
        { give: count, then: "stall", stop: "write fails", at: 0, reason },
        { give: count, then: "stall", stop: "write fails", at: 1, reason },
      ]),
    problem: (run, program) =>
      failProblem(run, program) ??
        (run.begun !== run.begunAtFailure ? "it wrote on after its failure" : undefined) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined),
  },
  closeError: {
    programs: () =>
      reasons.map((reason) => ({ give: 1, then: "end", stop: "close fails", reason })),
    problem: rejectionProblem,
  },
  ownError: {
    programs: ({ count }) =>
      reasons.map((reason) => ({ give: count, then: "stall", reason, isFailing: true })),
    problem: failProblem,
  },
  ...lastLaws(stops),
};

const action = "check sink";

/** What the runtime's own streams do under each law. */
const passSubject = (subject: SinkSubject): SinkSubject => ({
  ...subject,
  written: undefined,
  make: ({ underlying }) => ({
    write: (chunk) => underlying.write(chunk),
    close: () => underlying.close(),
    abort: (reason) => underlying.abort(reason),
  }),
  makeFailing: (reason) => ({
    write() {
      throw reason;
    },
  }),
});

/**
 * Writes to a sink as laws of sinks say: with a writer, `pipeTo` and `pipeline`, with ends that are slow, stall, fail
 * and abort, on virtual time.
 *
 * The laws: `ends` (it is closed once), `output` (each chunk once, in order), `pace` (slow ends and eager writers change
 * nothing), `fresh` (two sinks know nothing of each other), `oneAtATime` (a write waits for the one before, and the
 * close for the last), `backpressure` (what is not written is not called done, and no more is taken meanwhile), `abort`,
 * `sourceError`, `writeError`, `closeError` and `ownError` (each reason arrives itself, `undefined` too), `leaks`
 * (timers, locks, listeners of the signal), `unhandled` and `idleAfterEnd`. A law that the runtime's own streams break
 * is left out with that reason.
 *
 * @param makeSink Makes a sink: a `WritableStream`, an underlying sink, or a function that is given each chunk. It is
 * given `signal`, which aborts with the run, and `underlying`, which it may write to, close and abort: the laws see
 * only what reaches that.
 * @param options `chunks`: the chunks that the sink is given, or a function that makes them (default: 1 to 8);
 * `expected`: the chunks that are written, or a function from the first of the given ones (default: the chunks);
 * `isSame`: compares two lists of written chunks (default: by content); `written`: reads back what a sink has written
 * elsewhere than to `underlying` (default: none, and the writes of such a sink are not seen); `makeFailing`: makes a
 * sink that fails with a reason by itself at its first chunk (default: none, and `ownError` is left out);
 * `writeAhead`: how many chunks beyond one it may take before they are written (default: 0); `io`: whether it takes
 * real time (default: `false`); `skip`: reasons of laws that do not apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with their smallest program; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `writeAhead` is not a non-negative integer.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A sink that does not wait for what it writes to
 * ```ts
 * import { checkSink } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const result = await checkSink(({ underlying }) => ({
 *   write(chunk) {
 *     void underlying.write(chunk).catch(() => {});
 *   },
 *   close: () => underlying.close(),
 *   abort: (reason) => underlying.abort(reason),
 * }));
 *
 * assert.deepEqual(result.failed.some(({ law }) => law === "backpressure"), true);
 * assert.throws(() => result.throwIfFailed(), /it has ended before its write had settled/);
 * ```
 */
export async function checkSink(
  makeSink: (context: MadeFrom<WatchedWrites>) => CheckedSink,
  options: CheckSinkOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeSink", makeSink);
  const own = { written: callback(), writeAhead: integer(undefined, 0, true) };
  const { read, chunks, isSame, io, skipped } = readLawOptions(action, options, sinkLaws, own);
  const { expected, makeFailing, written, writeAhead = 0 } = read;
  const count = chunks().length;
  const seen: { kind?: SinkKind } = {};
  const make = (context: MadeFrom<WatchedWrites>) => {
    const made = makeSink(context);
    seen.kind = kindOfSink(made);
    return made;
  };
  const subject: SinkSubject = { make, makeFailing, written, chunks, io, isWatched: false };
  const whole = await runSinkProgram(subject, { way: "pipeline", give: count, then: "end" });
  const { kind } = seen;
  if (kind === undefined) throw whole.reason;
  const { isWatched } = subject;
  const ways: SinkWay[] = kind === "function" ? ["pipeline"] : ["writer", "pipeTo", "pipeline"];
  if (makeFailing === undefined) skipped.ownError ??= "makeFailing is not given";
  if (kind === "function") skipped.closeError ??= "a function is not closed";
  if (!isWatched) {
    for (const law of ["oneAtATime", "backpressure", "writeError", "closeError"]) {
      skipped[law] ??= "it does not use `underlying`";
    }
    if (written === undefined) skipped.output ??= "what it has written is not known";
  }
  const knowledge: SinkKnowledge = {
    kind,
    ways,
    count,
    isWatched,
    isSame,
    writeAhead,
    expected: expectedOf(
      expected,
      chunks,
      typeof expected === "object" ? expected : chunks(),
      expected === undefined,
    ),
  };
  return await tryLaws({
    kind: "sink",
    laws: sinkLaws,
    run: runSinkProgram,
    subject,
    knowledge,
    passing: passSubject(subject),
    passKnowledge: { kind: "dictionary", isWatched: true, writeAhead: 0 },
    describe: (program) => describeHeld(program, "sink", "source"),
  }, skipped);
}
