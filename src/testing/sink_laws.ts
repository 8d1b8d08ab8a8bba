import {
  heardProblem,
  lateProblem,
  leakProblem,
  rejectionProblem,
  unhandledProblem,
} from "./law_problems.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import type { SinkKind } from "./sink_subject.ts";
import type { SinkProgram, SinkRun, SinkWay } from "./sink_law_types.ts";
import type { Law } from "./try_laws.ts";

/** What a law knows of the sink. */
export interface SinkKnowledge {
  readonly kind: SinkKind;
  readonly ways: readonly SinkWay[];
  readonly count: number;
  /** Whether it writes to what the laws watch. */
  readonly isWatched: boolean;
  readonly expected: (count: number) => readonly unknown[] | undefined;
  readonly isSame: (actual: readonly unknown[], expected: readonly unknown[]) => boolean;
  /** How many chunks may be taken before they are written. */
  readonly writeAhead: number;
}

type Rest = Omit<SinkProgram, "way">;
type SinkLaw = Law<SinkProgram, SinkRun, SinkKnowledge>;

const reasons = [new Error("on purpose"), undefined];

const inWays = ({ ways }: SinkKnowledge, programs: readonly Rest[]): SinkProgram[] =>
  programs.flatMap((program) => ways.map((way) => ({ way, ...program })));
const counts = ({ count }: SinkKnowledge) =>
  [...new Set([0, 1, 2, 3, count])].filter((give) => give <= count).sort((a, b) => a - b);
const wholes = (knowledge: SinkKnowledge) =>
  inWays(knowledge, counts(knowledge).map((give) => ({ give, then: "end" })));
const paces = (knowledge: SinkKnowledge): SinkProgram[] => [
  ...inWays(knowledge, [
    { give: knowledge.count, then: "end", slow: "underlying" },
    { give: knowledge.count, then: "end", slow: "source" },
  ]),
  ...inWays({ ...knowledge, ways: knowledge.ways.filter((way) => way === "writer") }, [
    { give: knowledge.count, then: "end", slow: "underlying", isEager: true },
  ]),
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

const abortProblem: SinkLaw["problem"] = (run, _, { kind, isWatched }) =>
  rejectionProblem(run) ??
    (!isWatched || kind === "function"
      ? undefined
      : heardProblem("what it stands on", run.aborts, run.stopReason) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined));

const stops = (knowledge: SinkKnowledge): SinkProgram[] => [
  ...wholes(knowledge).filter(({ give }) => give === knowledge.count),
  ...inWays(knowledge, [
    { give: 1, then: "stall", stop: "abort", reason: reasons[0] },
    ...(knowledge.isWatched
      ? [
        {
          give: knowledge.count,
          then: "stall",
          stop: "write fails",
          at: 1,
          reason: reasons[0],
        } as const,
      ]
      : []),
  ]),
];

/** The laws of sinks by their names, in the order in which they are tried. */
export const sinkLaws: Readonly<Record<string, SinkLaw>> = {
  ends: { programs: wholes, problem: (run, _, knowledge) => endProblem(run, knowledge) },
  output: { programs: wholes, problem: outputProblem },
  pace: {
    programs: paces,
    problem: (run, program, knowledge) =>
      endProblem(run, knowledge) ?? outputProblem(run, program, knowledge),
  },
  fresh: {
    programs: (knowledge) =>
      inWays(knowledge, [{ give: knowledge.count, then: "end", before: "other" }]),
    problem: (run, program, knowledge) =>
      endProblem(run, knowledge) ?? outputProblem(run, program, knowledge),
  },
  oneAtATime: { programs: paces, problem: ({ overlap }) => overlap },
  backpressure: {
    programs: (knowledge) =>
      inWays(knowledge, [
        { give: 1, then: "end", stop: "write hangs", at: 0 },
        { give: knowledge.count, then: "stall", stop: "write hangs", at: 0 },
      ]),
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
    programs: (knowledge) =>
      inWays(
        knowledge,
        [0, 1].map((give) => ({ give, then: "stall", stop: "abort", reason: reasons[0] })),
      ),
    problem: abortProblem,
  },
  sourceError: {
    programs: (knowledge) =>
      inWays(
        { ...knowledge, ways: knowledge.ways.filter((way) => way !== "writer") },
        reasons.flatMap((reason) => [
          { give: 0, then: "fail" as const, reason },
          { give: 1, then: "fail" as const, reason },
        ]),
      ),
    problem: abortProblem,
  },
  writeError: {
    programs: (knowledge) =>
      inWays(
        knowledge,
        reasons.flatMap((reason) =>
          [0, 1].map((at) => ({
            give: knowledge.count,
            then: "stall" as const,
            stop: "write fails" as const,
            at,
            reason,
          }))
        ),
      ),
    problem: (run, { way }) =>
      rejectionProblem(run) ??
        (way === "writer" ? undefined : heardProblem("the source", run.cancels, run.stopReason)) ??
        (run.begun !== run.begunAtFailure ? "it wrote on after its failure" : undefined) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined),
  },
  closeError: {
    programs: (knowledge) =>
      inWays(
        knowledge,
        reasons.map((reason) => ({ give: 1, then: "end", stop: "close fails", reason })),
      ),
    problem: rejectionProblem,
  },
  ownError: {
    programs: (knowledge) =>
      inWays(
        knowledge,
        reasons.map((reason) => ({
          give: knowledge.count,
          then: "stall",
          reason,
          isFailing: true,
        })),
      ),
    problem: (run, { way }) =>
      rejectionProblem(run) ??
        (way === "writer" ? undefined : heardProblem("the source", run.cancels, run.stopReason)),
  },
  leaks: { programs: stops, problem: leakProblem },
  unhandled: { programs: stops, problem: unhandledProblem },
  idleAfterEnd: { programs: stops, problem: lateProblem },
};
