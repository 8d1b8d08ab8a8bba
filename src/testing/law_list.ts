import { drawBuffer, printChunk } from "./print_chunk.ts";
import { heardProblem, lastLaws, lateProblem, rejectionProblem } from "./law_problems.ts";
import type { LawProgram, LawRun, LawWay } from "./law_run.ts";
import { type InWays, type Knowledge, type Law, reasons, wholes } from "./try_laws.ts";

/** What a law knows of the stage. */
export interface LawKnowledge extends Knowledge<LawWay> {
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
export const laws: Readonly<Record<string, StageLaw>> = {
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
