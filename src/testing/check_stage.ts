import { throwTypeError } from "../errors.ts";
import { fuse } from "../fuse/fuse.ts";
import { generatorTag } from "../generator_tag.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { reader } from "../sources/reader.ts";
import { integer } from "../read_options.ts";
import { checkByLaws, type LawCheck } from "./check_by_laws.ts";
import { heardProblem, lateProblem, rejectionProblem } from "./held_run.ts";
import {
  forReasons,
  lastLaws,
  type Law,
  type LawRest,
  type LawRun,
  type LawStart,
  type LawWay,
  outputProblem,
  reason,
  wholes,
} from "./law_program.ts";
import type { CheckedStage, CheckResult, CheckStageOptions } from "./law_types.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";
import type { Transformer } from "../web_types.ts";

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

/** Where the methods of a transformer have their controller. */
const controllerPlaces = { start: 0, transform: 1, flush: 0, cancel: -1 };

/** Runs a stage between both ends as a program says. */
async function start(
  { made, program, ends, signal, rest }: LawStart,
): Promise<{ readonly work: Promise<unknown> }> {
  const { way, stop, at = 0, reason, isWatched } = program;
  const kind = kindOf(made);
  const stage = isWatched && kind === "dictionary"
    ? watchMembers(made, controllerPlaces, ends.note)
    : made;
  const source = ends.openSource();
  if (stop === "cancel") {
    const reader = connectStage(way, source, stage).getReader();
    for (let taken = 0; taken < at; taken++) {
      reader.read().then(({ done, value }) => done ? undefined : ends.writes.write(value))
        .catch(() => {});
    }
    await rest();
    return { work: reader.cancel(reason) };
  }
  const sink = ends.openSink();
  if (way !== "pipeline") {
    return { work: connectStage(way, source, stage).pipeTo(sink, { signal }) };
  }
  return {
    work: kind === "function"
      ? (pipeline as Any)(stage(source), sink, { signal })
      : (pipeline as Any)(source, stage, sink, { signal }),
  };
}

/** Ways with a stream after the stage, which can be cancelled. */
const connecting: readonly LawWay[] = ["native", "fuse"];

const gave = outputProblem("gave");

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

const stops: readonly LawRest[] = [
  {},
  { ways: connecting, stop: "cancel", at: 1, reason },
  { stop: "abort", reason },
  { give: 1, then: "fail", reason },
  { stop: "write fails", reason },
];

/** The laws of stages by their names, in the order in which they are tried. */
const laws: Readonly<Record<string, Law>> = {
  ends: {
    programs: wholes,
    problem({ state, reason, closes, aborts }) {
      if (state === "pending") return "the run has not ended";
      if (state === "rejected") return `the run failed with ${printChunk(reason)}`;
      if (state === "fulfilled" && closes !== 1) return `the sink was closed ${closes} times`;
      return aborts.length > 0 ? "the sink was aborted, too" : undefined;
    },
  },
  output: { programs: wholes, problem: gave },
  pace: { programs: [{ slow: "source" }, { slow: "sink" }], problem: gave },
  fresh: { programs: [{ before: "other" }], problem: gave },
  reuse: { programs: [{ before: "same" }], problem: gave },
  laziness: {
    programs: [{ stop: "no demand" }],
    problem({ reads, state, chunks }, { way }, { mostReads }) {
      const most = mostReads(0, way);
      if (reads > most) return `it read ${reads} chunks without demand, more than ${most}`;
      return state !== "pending" || chunks.length > 0 ? "it wrote without demand" : undefined;
    },
    // How much its pipe reads before it learns of the end is the runtime's.
    problemAfterEnd: ({ chunks }) => chunks.length > 0 ? "it wrote without demand" : undefined,
  },
  boundedReading: {
    programs: [{ stop: "write hangs", at: 1 }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(3, way);
      return reads > most ? `it read ${reads} chunks, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs: forReasons(
      { ways: connecting, give: 0, stop: "cancel", at: 0 },
      { ways: connecting, stop: "cancel", at: 1 },
    ),
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
    programs: [{ give: 0, stop: "abort", reason }, { stop: "abort", reason }],
    problem: stopProblem,
    problemAfterEnd: (run) => run.state === "rejected" ? stopProblem(run) : endProblem(run, true),
  },
  sourceError: {
    programs: forReasons({ give: 0, then: "fail" }, { give: 1, then: "fail" }),
    problem: sourceProblem,
    problemAfterEnd: (run) =>
      run.state === "rejected"
        ? (run.closes === 0 ? sourceProblem : rejectionProblem)(run)
        : endProblem(run, false),
  },
  sinkError: {
    programs: forReasons({ stop: "write fails" }),
    problem: (run, program, { expected }) =>
      (expected(program.give)?.length ?? 0) === 0 ||
        run.chunks.length === 0 && run.state === "pending"
        ? undefined
        : rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason),
    problemAfterEnd: (run) => rejectionProblem(run) ?? endProblem(run, true),
  },
  stageError: { programs: forReasons({ isFailing: true }), problem: stopProblem },
  ...lastLaws(stops),
  idleAfterEnd: {
    programs: stops.map((program) => ({ ...program, isWatched: true })),
    problem: lateProblem,
  },
};

/** Native streams take no generator functions, and `fuse` no functions of streams. */
const waysOf: Readonly<Record<StageKind, readonly LawWay[]>> = {
  dictionary: ["native", "fuse", "pipeline"],
  pair: ["native", "fuse", "pipeline"],
  generator: ["fuse", "pipeline"],
  function: ["native", "pipeline"],
};
/** Of how many stages it is made, if it is one of ours. */
function countParts(stage: CheckedStage): number {
  const { stages } = endMeaningOf(stage) ?? {};
  if (stages !== undefined) return Math.max(1, stages.length);
  if (!("writable" in stage)) return 1;
  const chain = endMeaningOf(stage.writable)?.chain as { readonly stages: unknown[] } | undefined;
  return chain?.stages.length ?? 1;
}

const check: LawCheck = {
  noun: "stage",
  names: { source: "source", sink: "sink" },
  laws,
  options: { readAhead: integer(undefined, 0, true) },
  kindOf,
  start,
  async learn({ subject, kind, count, readsFor, ahead, run, skip }) {
    const isPair = kind === "pair";
    if (isPair) skip("a pair of streams serves one run", "reuse");
    const ways = waysOf[kind as StageKind];
    const outputs = new Map<number, readonly unknown[]>();
    for (const { give: most = count } of wholes) {
      const give = Math.min(most, count);
      const { state, chunks } = await run({ way: ways[0]!, give, then: "end" });
      if (state === "fulfilled") outputs.set(give, chunks);
    }
    const later = countParts(subject.make({ signal: new AbortController().signal })) - 1;
    return {
      ways,
      expected: (give) => outputs.get(give),
      // One is held by the pair of streams, or by the stage's own queue; `pipeline` reads one more for a pair that is not its own.
      // Each further part of one made of several holds what one chunk has become.
      mostReads: (wanted, way) =>
        Math.max(readsFor(wanted) + later, readsFor(wanted + later)) + 1 + ahead +
        (isPair && way === "pipeline" ? 1 : 0),
    };
  },
  passing: () => ({
    make: () => ({ transform: (chunk: unknown, controller: Any) => controller.enqueue(chunk) }),
    makeFailing: (reason) => ({
      transform() {
        throw reason;
      },
    }),
  }),
};

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
export function checkStage(
  makeStage: (context: { readonly signal: AbortSignal }) => CheckedStage,
  options: CheckStageOptions = {},
): Promise<CheckResult> {
  return checkByLaws(check, makeStage, options);
}
