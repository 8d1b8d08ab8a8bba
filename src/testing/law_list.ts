import { drawBuffer, printChunk } from "./print_chunk.ts";
import {
  heardProblem,
  lateProblem,
  leakProblem,
  rejectionProblem,
  unhandledProblem,
} from "./law_problems.ts";
import type { LawProgram, LawWay } from "./law_program.ts";
import type { LawRun } from "./law_run.ts";
import type { Law } from "./try_laws.ts";

/** What a law knows of the stage. */
export interface LawKnowledge {
  readonly ways: readonly LawWay[];
  readonly count: number;
  /** What comes out of the first so many chunks; `undefined` if that is not known. */
  readonly expected: (count: number) => readonly unknown[] | undefined;
  readonly isSame: (actual: readonly unknown[], expected: readonly unknown[]) => boolean;
  /** The most chunks that may be read for this many output chunks. */
  readonly mostReads: (outputs: number, way: LawWay) => number;
}

type Rest = Omit<LawProgram, "way">;

const reasons = [new Error("on purpose"), undefined];
const inWays = (ways: readonly LawWay[], programs: readonly Rest[]): LawProgram[] =>
  programs.flatMap((program) => ways.map((way) => ({ way, ...program })));
const connecting = (ways: readonly LawWay[]) => ways.filter((way) => way !== "pipeline");
const counts = ({ count }: LawKnowledge) =>
  [...new Set([0, 1, 2, 3, count])].filter((give) => give <= count).sort((a, b) => a - b);

function outputProblem(
  { state, chunks }: LawRun,
  { give }: LawProgram,
  { expected, isSame }: LawKnowledge,
): string | undefined {
  const wanted = expected(give);
  if (state !== "fulfilled" || wanted === undefined || isSame(chunks, wanted)) return;
  return `it gave ${drawBuffer(chunks)}, not ${drawBuffer(wanted)}`;
}

const stops = ({ ways, count }: LawKnowledge): LawProgram[] => [
  ...inWays(ways, [{ give: count, then: "end" }]),
  ...inWays(connecting(ways), [
    { give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
  ]),
  ...inWays(ways, [
    { give: count, then: "stall", stop: "abort", at: 0, reason: reasons[0] },
    { give: 1, then: "fail", reason: reasons[0] },
    { give: count, then: "stall", stop: "write fails", at: 0, reason: reasons[0] },
  ]),
];

/** The laws of stages by their names, in the order in which they are tried. */
export const laws: Readonly<Record<string, Law<LawProgram, LawRun, LawKnowledge>>> = {
  ends: {
    programs: (knowledge) =>
      inWays(knowledge.ways, counts(knowledge).map((give) => ({ give, then: "end" }))),
    problem({ state, reason, closes, aborts }) {
      if (state === "pending") return "the run has not ended";
      if (state === "rejected") return `the run failed with ${printChunk(reason)}`;
      if (closes !== 1) return `the sink was closed ${closes} times`;
      return aborts.length > 0 ? "the sink was aborted, too" : undefined;
    },
  },
  output: {
    programs: (knowledge) =>
      inWays(knowledge.ways, counts(knowledge).map((give) => ({ give, then: "end" }))),
    problem: outputProblem,
  },
  pace: {
    programs: ({ ways, count }) =>
      inWays(ways, [
        { give: count, then: "end", slow: "source" },
        { give: count, then: "end", slow: "sink" },
      ]),
    problem: outputProblem,
  },
  fresh: {
    programs: ({ ways, count }) => inWays(ways, [{ give: count, then: "end", before: "other" }]),
    problem: outputProblem,
  },
  reuse: {
    programs: ({ ways, count }) => inWays(ways, [{ give: count, then: "end", before: "same" }]),
    problem: outputProblem,
  },
  laziness: {
    programs: ({ ways, count }) =>
      inWays(ways, [{ give: count, then: "stall", stop: "no demand" }]),
    problem({ reads, state, chunks }, { way }, { mostReads }) {
      const most = mostReads(0, way);
      if (reads > most) return `it read ${reads} chunks without demand, more than ${most}`;
      return state !== "pending" || chunks.length > 0 ? "it wrote without demand" : undefined;
    },
  },
  boundedReading: {
    programs: ({ ways, count }) =>
      inWays(ways, [{ give: count, then: "stall", stop: "write hangs", at: 1 }]),
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(3, way);
      return reads > most ? `it read ${reads} chunks, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs: ({ ways, count }) =>
      inWays(
        connecting(ways),
        reasons.flatMap((reason) => [
          { give: 0, then: "stall", stop: "cancel", at: 0, reason } as const,
          { give: count, then: "stall", stop: "cancel", at: 1, reason } as const,
        ]),
      ),
    problem({ state, cancels, reason, stopReason }) {
      if (state === "pending") return "the cancel has not settled";
      if (state === "rejected") return `the cancel failed with ${printChunk(reason)}`;
      return heardProblem("the source", cancels, stopReason);
    },
  },
  abort: {
    programs: ({ ways, count }) =>
      inWays(ways, [
        { give: 0, then: "stall", stop: "abort", reason: reasons[0] },
        { give: count, then: "stall", stop: "abort", reason: reasons[0] },
      ]),
    problem: (run) =>
      rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason) ??
        heardProblem("the sink", run.aborts, run.stopReason),
  },
  sourceError: {
    programs: ({ ways }) =>
      inWays(
        ways,
        reasons.flatMap((reason) => [
          { give: 0, then: "fail", reason } as const,
          { give: 1, then: "fail", reason } as const,
        ]),
      ),
    problem: (run) =>
      rejectionProblem(run) ?? heardProblem("the sink", run.aborts, run.stopReason) ??
        (run.closes > 0 ? "the sink was closed, too" : undefined),
  },
  sinkError: {
    programs: ({ ways, count }) =>
      inWays(
        ways,
        reasons.map((reason) => ({ give: count, then: "stall", stop: "write fails", reason })),
      ),
    problem: (run, program, { expected }) =>
      (expected(program.give)?.length ?? 0) === 0 ||
        run.chunks.length === 0 && run.state === "pending"
        ? undefined
        : rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason),
  },
  stageError: {
    programs: ({ ways, count }) =>
      inWays(
        ways,
        reasons.map((reason) => ({ give: count, then: "stall", reason, isFailing: true })),
      ),
    problem: (run) =>
      rejectionProblem(run) ?? heardProblem("the source", run.cancels, run.stopReason) ??
        heardProblem("the sink", run.aborts, run.stopReason),
  },
  leaks: { programs: stops, problem: leakProblem },
  unhandled: { programs: stops, problem: unhandledProblem },
  idleAfterEnd: {
    programs: (knowledge) => stops(knowledge).map((program) => ({ ...program, isWatched: true })),
    problem: lateProblem,
  },
};
