import { createDeferred } from "../deferred.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { fuse } from "../fuse/fuse.ts";
import { generatorTag } from "../generator_tag.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { reader } from "../sources/reader.ts";
import { integer } from "../read_options.ts";
import { noteActivity } from "./activity.ts";
import { readLawOptions } from "./check_law_options.ts";
import {
  describeHeld,
  heardProblem,
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  lastLaws,
  lateProblem,
  noteCall,
  rejectionProblem,
  runHeld,
  startOther,
  waitTurns,
} from "./held_run.ts";
import type { CheckedStage, CheckResult, CheckStageOptions } from "./law_types.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import { type InWays, type Knowledge, type Law, reasons, tryLaws, wholes } from "./try_laws.ts";
import { watchMembers } from "./watch_members.ts";
import type { Transformer } from "../web_types.ts";

/** How the stage stands between source and sink. */
type LawWay = "native" | "fuse" | "pipeline";

/** One run of a stage. */
interface LawProgram extends
  HeldProgram<
    LawWay,
    "cancel" | "abort" | "write fails" | "write hangs" | "no demand",
    "source" | "sink"
  > {
  /** Whether it is noted what the stage's methods do. */
  readonly isWatched?: boolean;
}

// deno-lint-ignore no-explicit-any -- stages of any chunks
type Any = any;

/** What a stage can be. */
type StageKind = "dictionary" | "pair" | "generator" | "function";

/** What a stage is; throws if it is none. */
function kindOf(stage: CheckedStage): StageKind {
  if (typeof stage === "function") {
    return generatorTag(stage) === "AsyncGeneratorFunction" ? "generator" : "function";
  }
  if (stage === null || typeof stage !== "object") {
    throwTypeError("check stage", "stage", "a transformer, a pair or a function", stage);
  }
  return "readable" in stage && "writable" in stage ? "pair" : "dictionary";
}

/** The stream after the stage. */
function connectStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
): ReadableStream<unknown> {
  const kind = kindOf(stage);
  if (kind === "function") {
    const after = (stage as Any)(source);
    return after instanceof ReadableStream ? after : reader(after) as ReadableStream<unknown>;
  }
  if (way === "fuse") return source.pipeThrough((fuse as Any)(stage));
  return source.pipeThrough(
    kind === "pair" ? stage as Any : new TransformStream(stage as Transformer),
  );
}

/** Runs the stage between both ends to the end. */
function runStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
  sink: WritableStream<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  if (way !== "pipeline") return connectStage(way, source, stage).pipeTo(sink, { signal });
  return kindOf(stage) === "function"
    ? (pipeline as Any)((stage as Any)(source), sink, { signal })
    : (pipeline as Any)(source, stage, sink, { signal });
}

/** Where the methods of a transformer have their controller. */
const controllerPlaces = { start: 0, transform: 1, flush: 0, cancel: -1 };

/** The stage with an eye on what its methods do with their controller. */
function watchStage(stage: CheckedStage, note: (call: string) => void): CheckedStage {
  return kindOf(stage) === "dictionary" ? watchMembers(stage, controllerPlaces, note) : stage;
}

/** What programs are run with. */
interface LawSubject {
  readonly make: (context: { readonly signal: AbortSignal }) => CheckedStage;
  readonly makeFailing: ((reason: unknown) => CheckedStage) | undefined;
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
}

/** What a program's run has shown. */
interface LawRun extends HeldOutcome {
  readonly chunks: unknown[];
  /** How many chunks had been read when each output chunk came. */
  readonly readsAt: number[];
  readonly reads: number;
  readonly cancels: unknown[];
  readonly aborts: unknown[];
  readonly closes: number;
}

/** Runs one program on virtual time, and says what both ends and the realm have seen. */
async function runProgram(
  subject: LawSubject,
  program: LawProgram,
  prepared?: CheckedStage,
): Promise<LawRun> {
  const { way, give, then, stop, at = 0, reason, slow, before } = program;
  const { isFailing = false, isWatched = false } = program;
  const controller = new AbortController();
  const { signal } = controller;
  const make = () => isFailing ? subject.makeFailing!(reason) : subject.make({ signal });
  const same = prepared ?? (before === "same" ? make() : undefined);
  if (before === "same" && prepared === undefined) {
    await runProgram(subject, { way, give, then: "end" }, same);
  }
  const given = subject.chunks();
  const run = {
    chunks: [] as unknown[],
    readsAt: [] as number[],
    reads: 0,
    cancels: [] as unknown[],
    aborts: [] as unknown[],
    closes: 0,
  };
  const hung = createDeferred<void>();
  const watch: HeldWatch = { isOver: false, late: [] };
  const source = new ReadableStream<unknown>({
    async pull(controller) {
      noteCall(watch, "source read");
      if (slow === "source") await waitTurns(30);
      if (run.reads < give) return controller.enqueue(given[run.reads++]);
      if (then === "end") return controller.close();
      if (then === "fail") return controller.error(reason);
      await hung.promise;
    },
    cancel(reason) {
      noteActivity();
      run.cancels.push(reason);
    },
  }, { highWaterMark: 0 });
  const take = (chunk: unknown) => {
    noteActivity();
    run.chunks.push(chunk);
    run.readsAt.push(run.reads);
  };
  const sink = new WritableStream<unknown>({
    async write(chunk) {
      if (stop === "write fails" && run.chunks.length >= at) throw reason;
      if (stop === "write hangs" && run.chunks.length >= at) return await hung.promise;
      take(chunk);
      if (slow === "sink") await waitTurns(10);
    },
    close() {
      noteActivity();
      run.closes++;
    },
    abort(reason) {
      noteActivity();
      run.aborts.push(reason);
    },
  }, { highWaterMark: stop === "no demand" ? 0 : 1 });
  return await runHeld({
    io: subject.io,
    controller,
    program,
    watch,
    startOther: before !== "other" ? undefined : () =>
      startOther(
        subject.chunks().slice(0, give),
        (source, signal) =>
          runStage(way, source, subject.make({ signal }), new WritableStream(), signal),
      ),
    async start(rest) {
      const made = same ?? make();
      const stage = isWatched ? watchStage(made, (call) => noteCall(watch, call)) : made;
      if (stop !== "cancel") return { work: runStage(way, source, stage, sink, signal) };
      const reader = connectStage(way, source, stage).getReader();
      readSome(reader, at, take);
      await rest();
      return { work: reader.cancel(reason) };
    },
    locks: () => [...(source.locked ? ["source"] : []), ...(sink.locked ? ["sink"] : [])],
    free: () => hung.resolve(),
  }, () => ({ ...run }));
}

/** Takes so many chunks if there are so many. */
function readSome(
  reader: ReadableStreamDefaultReader<unknown>,
  count: number,
  take: (chunk: unknown) => void,
): void {
  for (let taken = 0; taken < count; taken++) {
    reader.read().then(({ done, value }) => {
      if (!done) take(value);
    }).catch(() => {});
  }
}

/** What a law knows of the stage. */
interface LawKnowledge extends Knowledge<LawWay> {
  /** The most chunks that may be read for this many output chunks. */
  readonly mostReads: (outputs: number, way: LawWay) => number;
}

type StageLaw = Law<LawProgram, LawRun, LawKnowledge>;

/** Ways with a stream after the stage, which can be cancelled. */
const connecting: readonly LawWay[] = ["native", "fuse"];

const outputProblem: StageLaw["problem"] = ({ state, chunks }, { give }, { expected, isSame }) => {
  const wanted = expected(give);
  if (state !== "fulfilled" || wanted === undefined || isSame(chunks, wanted)) return;
  return `it gave ${drawBuffer(chunks)}, not ${drawBuffer(wanted)}`;
};

/** Tells unless the run has failed with the reason, and both ends have heard it. */
const stopProblem = (run: LawRun): string | undefined =>
  rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason) ??
    heardProblem("the sink", run.aborts, run.stopReason);

const sourceProblem = (run: LawRun): string | undefined =>
  rejectionProblem(run) ?? heardProblem("the sink", run.aborts, run.stopReason) ??
    (run.closes > 0 ? "the sink was closed, too" : undefined);

/** Tells unless a run that its stage has ended has closed the sink and cancelled the source, for whatever reason. */
const endProblem = (
  { state, closes, cancels }: Pick<LawRun, "state" | "closes" | "cancels">,
  isCancelled: boolean,
) => {
  if (state === "pending") return "the run has not ended";
  if (state === "fulfilled" && closes !== 1) return `the sink was closed ${closes} times`;
  if (cancels.length > 1) return `the source was cancelled ${cancels.length} times`;
  if (isCancelled && cancels.length === 0) return "the source did not learn of it";
};

const stops = ({ count }: LawKnowledge): InWays<LawProgram>[] => [
  { give: count, then: "end" },
  { ways: connecting, give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
  { give: count, then: "stall", stop: "abort", at: 0, reason: reasons[0] },
  { give: 1, then: "fail", reason: reasons[0] },
  { give: count, then: "stall", stop: "write fails", at: 0, reason: reasons[0] },
];

/** The laws of stages by their names, in the order in which they are tried. */
const laws: Readonly<Record<string, StageLaw>> = {
  ends: {
    programs: wholes,
    problem({ state, reason, closes, aborts }) {
      if (state === "pending") return "the run has not ended";
      if (state === "rejected") return `the run failed with ${printChunk(reason)}`;
      if (state === "fulfilled" && closes !== 1) return `the sink was closed ${closes} times`;
      return aborts.length > 0 ? "the sink was aborted, too" : undefined;
    },
  },
  output: { programs: wholes, problem: outputProblem },
  pace: {
    programs: ({ count }) => [
      { give: count, then: "end", slow: "source" },
      { give: count, then: "end", slow: "sink" },
    ],
    problem: outputProblem,
  },
  fresh: {
    programs: ({ count }) => [{ give: count, then: "end", before: "other" }],
    problem: outputProblem,
  },
  reuse: {
    programs: ({ count }) => [{ give: count, then: "end", before: "same" }],
    problem: outputProblem,
  },
  laziness: {
    programs: ({ count }) => [{ give: count, then: "stall", stop: "no demand" }],
    problem({ reads, state, chunks }, { way }, { mostReads }) {
      const most = mostReads(0, way);
      if (reads > most) return `it read ${reads} chunks without demand, more than ${most}`;
      return state !== "pending" || chunks.length > 0 ? "it wrote without demand" : undefined;
    },
    // How much its pipe reads before it learns of the end is the runtime's.
    problemAfterEnd: ({ chunks }) => chunks.length > 0 ? "it wrote without demand" : undefined,
  },
  boundedReading: {
    programs: ({ count }) => [{ give: count, then: "stall", stop: "write hangs", at: 1 }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(3, way);
      return reads > most ? `it read ${reads} chunks, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs: ({ count }) =>
      reasons.flatMap((reason): InWays<LawProgram>[] => [
        { ways: connecting, give: 0, then: "stall", stop: "cancel", at: 0, reason },
        { ways: connecting, give: count, then: "stall", stop: "cancel", at: 1, reason },
      ]),
    problem({ state, cancels, reason, stopReason }) {
      if (state === "pending") return "the cancel has not settled";
      if (state === "rejected") return `the cancel failed with ${printChunk(reason)}`;
      return heardProblem("the source", cancels, stopReason);
    },
    problemAfterEnd: ({ state, cancels, reason }) =>
      state === "rejected"
        ? `the cancel failed with ${printChunk(reason)}`
        : endProblem({ state, cancels, closes: 1 }, true),
  },
  abort: {
    programs: ({ count }) => [
      { give: 0, then: "stall", stop: "abort", reason: reasons[0] },
      { give: count, then: "stall", stop: "abort", reason: reasons[0] },
    ],
    problem: stopProblem,
    problemAfterEnd: (run) => run.state === "rejected" ? stopProblem(run) : endProblem(run, true),
  },
  sourceError: {
    programs: () =>
      reasons.flatMap((reason): InWays<LawProgram>[] => [
        { give: 0, then: "fail", reason },
        { give: 1, then: "fail", reason },
      ]),
    problem: sourceProblem,
    problemAfterEnd: (run) =>
      run.state === "rejected"
        ? (run.closes === 0 ? sourceProblem : rejectionProblem)(run)
        : endProblem(run, false),
  },
  sinkError: {
    programs: ({ count }) =>
      reasons.map((reason) => ({ give: count, then: "stall", stop: "write fails", reason })),
    problem: (run, program, { expected }) =>
      (expected(program.give)?.length ?? 0) === 0 ||
        run.chunks.length === 0 && run.state === "pending"
        ? undefined
        : rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason),
    problemAfterEnd: (run) => rejectionProblem(run) ?? endProblem(run, true),
  },
  stageError: {
    programs: ({ count }) =>
      reasons.map((reason) => ({ give: count, then: "stall", reason, isFailing: true })),
    problem: stopProblem,
  },
  ...lastLaws(stops),
  idleAfterEnd: {
    programs: (knowledge) => stops(knowledge).map((program) => ({ ...program, isWatched: true })),
    problem: lateProblem,
  },
};

const action = "check stage";

/** Native streams take no generator functions, and `fuse` no functions of streams. */
const waysOf: Readonly<Record<StageKind, readonly LawWay[]>> = {
  dictionary: ["native", "fuse", "pipeline"],
  pair: ["native", "fuse", "pipeline"],
  generator: ["fuse", "pipeline"],
  function: ["native", "pipeline"],
};
/** What the runtime's own streams do under each law. */
const passSubject = (subject: LawSubject): LawSubject => {
  const make = () => ({
    transform(chunk: unknown, controller: TransformStreamDefaultController) {
      controller.enqueue(chunk);
    },
  });
  const makeFailing = (reason: unknown) => ({
    transform() {
      throw reason;
    },
  });
  return { ...subject, make, makeFailing };
};

async function learn(
  subject: LawSubject,
  ways: readonly LawWay[],
  isPair: boolean,
  isSame: LawKnowledge["isSame"],
  { expected, readAhead = 0 }: CheckStageOptions,
): Promise<LawKnowledge> {
  const later = countParts(subject.make({ signal: new AbortController().signal })) - 1;
  const chunks = subject.chunks();
  const count = chunks.length;
  const outputs = new Map<number, readonly unknown[]>();
  const slowly = { way: "native", give: count, then: "end", slow: "source" } as const;
  const whole = await runProgram(subject, slowly);
  if (typeof expected === "object") outputs.set(count, expected);
  else if (expected === undefined) {
    for (const program of wholes({ count })) {
      const run = await runProgram(subject, { way: ways[0]!, ...program });
      if (run.state === "fulfilled") outputs.set(program.give, run.chunks);
    }
  }
  const readsFor = (wanted: number) => wanted === 0 ? 0 : whole.readsAt[wanted - 1] ?? count;
  return {
    ways,
    count,
    expected: (give) =>
      typeof expected === "function" ? expected(chunks.slice(0, give)) : outputs.get(give),
    isSame,
    // One is held by the pair of streams, or by the stage's own queue; `pipeline` reads one more for a pair that is not its own.
    // Each further part of one made of several holds what one chunk has become.
    mostReads: (wanted, way) =>
      Math.max(readsFor(wanted) + later, readsFor(wanted + later)) + 1 + readAhead +
      (isPair && way === "pipeline" ? 1 : 0),
  };
}

/** Of how many stages it is made, if it is one of ours. */
function countParts(stage: CheckedStage): number {
  const { stages } = endMeaningOf(stage) ?? {};
  if (stages !== undefined) return Math.max(1, stages.length);
  if (!("writable" in stage)) return 1;
  const chain = endMeaningOf(stage.writable)?.chain as { readonly stages: unknown[] } | undefined;
  return chain?.stages.length ?? 1;
}

/**
 * Runs a stage through the laws of stages: between native streams, fused, and in `pipeline`, with ends that are slow,
 * stall, fail, cancel and abort, on virtual time.
 *
 * The laws: `ends`, `output`, `pace` (slow ends change nothing), `fresh` (two stages know nothing of each other),
 * `reuse` (one stage serves one run after the other; left out for pairs), `laziness`, `boundedReading`, `cancel`,
 * `abort`, `sourceError`, `sinkError` and `stageError` (each reason arrives itself, `undefined` too), `leaks` (timers,
 * locks, listeners of the signal), `unhandled` and `idleAfterEnd`. A law that the runtime's own streams break with a
 * stage that passes chunks on is left out with that reason.
 *
 * @param makeStage Makes a stage: a transformer, a pair of streams, an async generator function, or a function from a
 * stream to a stream. It is given `signal`, which aborts with the run.
 * @param options `chunks`: the chunks that the stage is given, or a function that makes them (default: 1 to 8);
 * `expected`: the chunks that come out, or a function from the first of the given ones (default: those of native
 * streams); `isSame`: compares two lists of output (default: by content); `makeFailing`: makes a stage whose code
 * throws a reason (default: none, and `stageError` is left out); `readAhead`: how many chunks it may take before they
 * are asked for (default: 0); `io`: whether it takes real time (default: `false`); `skip`: reasons of laws that do not
 * apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with their smallest program; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `readAhead` is not a non-negative integer.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A stage that forgets its last chunk
 * ```ts
 * import { checkStage } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const result = await checkStage(() => {
 *   let last: number | undefined;
 *   return {
 *     transform(chunk: number, controller: TransformStreamDefaultController<number>) {
 *       if (last !== undefined) controller.enqueue(last);
 *       last = chunk;
 *     },
 *   };
 * }, { expected: (chunks) => chunks, skip: { reuse: "a stage serves one run" } });
 *
 * assert.deepEqual(result.failed[0]?.law, "output");
 * assert.deepEqual(result.failed[0]?.program, "native, the source gives 1 chunk, then ends");
 * assert.throws(() => result.throwIfFailed(), /it gave \|\|, not \|1\|/);
 * ```
 */
export async function checkStage(
  makeStage: (context: { readonly signal: AbortSignal }) => CheckedStage,
  options: CheckStageOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeStage", makeStage);
  const own = { readAhead: integer(undefined, 0, true) };
  const { read, chunks, isSame, io, skipped } = readLawOptions(action, options, laws, own);
  const { makeFailing } = read;
  chunks();
  const subject: LawSubject = { make: makeStage, makeFailing, chunks, io };
  const kind = kindOf(makeStage({ signal: new AbortController().signal }));
  const ways = waysOf[kind];
  if (kind === "pair") skipped.reuse ??= "a pair of streams serves one run";
  if (makeFailing === undefined) skipped.stageError ??= "makeFailing is not given";
  const knowledge = await learn(subject, ways, kind === "pair", isSame, read);
  return await tryLaws({
    kind: "stage",
    laws,
    run: runProgram,
    endsByItself: async (subject, { way, give }) =>
      (await runProgram(subject, { way, give, then: "stall" })).state === "fulfilled",
    subject,
    knowledge,
    passing: passSubject(subject),
    passKnowledge: { mostReads: (wanted) => wanted + 1 },
    describe: (program) => describeHeld(program, "stage", "source"),
  }, skipped);
}
