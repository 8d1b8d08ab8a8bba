import { heardProblem, lastLaws, rejectionProblem } from "./law_problems.ts";
import { type InWays, type Knowledge, type Law, reasons, wholes } from "./try_laws.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import type { SinkKind, SinkProgram, SinkRun, SinkWay } from "./sink_law_run.ts";

/** What a law knows of the sink. */
export interface SinkKnowledge extends Knowledge<SinkWay> {
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
export const sinkLaws: Readonly<Record<string, SinkLaw>> = {
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
