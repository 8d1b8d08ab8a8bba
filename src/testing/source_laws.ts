import { joinBytes } from "./join_bytes.ts";
import {
  heardProblem,
  lateProblem,
  leakProblem,
  rejectionProblem,
  unhandledProblem,
} from "./law_problems.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import {
  all,
  inWays,
  pipes,
  readings,
  reasons,
  type SourceKnowledge,
  type SourceRest,
  stops,
  wholes,
} from "./source_law_programs.ts";
import type { SourceProgram, SourceRun } from "./source_law_types.ts";
import type { Law } from "./try_laws.ts";

type SourceLaw = Law<SourceProgram, SourceRun, SourceKnowledge>;

function compare(
  chunks: readonly unknown[],
  wanted: readonly unknown[] | undefined,
  { isSame }: SourceKnowledge,
): string | undefined {
  if (wanted === undefined || isSame(chunks, wanted)) return;
  return `it gave ${drawBuffer(chunks)}, not ${drawBuffer(wanted)}`;
}

const endProblem = ({ state, reason }: SourceRun): string | undefined => {
  if (state === "pending") return "it has not ended";
  return state === "rejected" ? `it failed with ${printChunk(reason)}` : undefined;
};

const outputProblem: SourceLaw["problem"] = (run, { give }, knowledge) =>
  run.state === "fulfilled" ? compare(run.chunks, knowledge.expected(give), knowledge) : undefined;

/** An iterator is not given the reason, and one that waits cannot be ended. */
function cancelProblem(
  { cancels, stopReason }: SourceRun,
  { kind, isWatched }: SourceKnowledge,
): string | undefined {
  if (!isWatched) return;
  const isReasonless = kind === "iterable" && cancels.length === 1;
  return isReasonless ? undefined : heardProblem("what it stands on", cancels, stopReason);
}

/** The laws of sources by their names, in the order in which they are tried. */
export const sourceLaws: Readonly<Record<string, SourceLaw>> = {
  ends: { programs: wholes, problem: endProblem },
  output: { programs: wholes, problem: outputProblem },
  pace: {
    programs: (knowledge) => [
      ...inWays(knowledge, all, [
        { give: knowledge.count, then: "end", slow: "underlying" },
        { give: knowledge.count, then: "end", slow: "reader" },
      ]),
      ...inWays(knowledge, ["getReader"], [{ give: knowledge.count, then: "end", isEager: true }]),
    ],
    problem: (run, program, knowledge) => endProblem(run) ?? outputProblem(run, program, knowledge),
  },
  fresh: {
    programs: (knowledge) =>
      inWays(knowledge, all, [{ give: knowledge.count, then: "end", before: "other" }]),
    problem: (run, program, knowledge) => endProblem(run) ?? outputProblem(run, program, knowledge),
  },
  laziness: {
    programs: (knowledge) =>
      inWays(knowledge, ["getReader", "for await", "pipeline"], [
        { give: knowledge.count, then: "stall", stop: "no demand" },
      ]),
    problem({ reads }, _, { mostReads }) {
      const most = mostReads(0);
      return reads > most ? `it read ${reads} chunks without demand, more than ${most}` : undefined;
    },
  },
  boundedReading: {
    programs: (knowledge) =>
      inWays(knowledge, all, [
        { give: knowledge.count, then: "stall", stop: "stop reading", at: 1 },
      ]),
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(way === "pipeTo" || way === "pipeline" ? 2 : 1);
      return reads > most ? `it read ${reads} chunks for 1, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs: (knowledge) => [
      ...inWays(
        knowledge,
        readings,
        reasons.flatMap((reason): SourceRest[] => [
          // A generator that has not begun has nothing to end.
          ...(knowledge.kind === "iterable"
            ? []
            : [{ give: 0, then: "stall", stop: "cancel", at: 0, reason } as const]),
          { give: knowledge.count, then: "stall", stop: "cancel", at: 1, reason },
        ]),
      ),
      ...inWays(
        knowledge,
        knowledge.kind === "iterable" ? [] : ["getReader"],
        reasons.map((reason) => ({
          give: 1,
          then: "stall",
          stop: "cancel with a pending read",
          at: 1,
          reason,
        })),
      ),
    ],
    problem(run, _, knowledge) {
      if (run.state === "pending") return "the cancel has not settled";
      if (run.state === "rejected") return `the cancel failed with ${printChunk(run.reason)}`;
      return cancelProblem(run, knowledge);
    },
  },
  abort: {
    programs: (knowledge) =>
      inWays(knowledge, pipes, [
        { give: 0, then: "stall", stop: "abort", reason: reasons[0] },
        { give: knowledge.count, then: "stall", stop: "abort", reason: reasons[0] },
      ]),
    problem: (run, _, knowledge) =>
      rejectionProblem(run) ??
        (knowledge.kind === "iterable" ? undefined : cancelProblem(run, knowledge)),
  },
  sinkError: {
    programs: (knowledge) =>
      inWays(
        knowledge,
        pipes,
        reasons.map((reason) => ({
          give: knowledge.count,
          then: "stall",
          stop: "write fails",
          at: 1,
          reason,
        })),
      ),
    problem: (run, { give }, knowledge) =>
      (knowledge.expected(give)?.length ?? 0) < 2
        ? undefined
        : rejectionProblem(run) ?? cancelProblem(run, knowledge),
  },
  sourceError: {
    programs: (knowledge) =>
      inWays(
        knowledge,
        all,
        reasons.flatMap((reason): SourceRest[] => [
          { give: 0, then: "fail", reason },
          { give: 2, then: "fail", reason },
        ]),
      ),
    problem: rejectionProblem,
  },
  ownError: {
    programs: ({ ways, count }) =>
      reasons.flatMap((reason) =>
        ways.filter((way) => all.includes(way)).map((way) => ({
          way,
          give: count,
          then: "stall" as const,
          reason,
          isFailing: true,
        }))
      ),
    problem: rejectionProblem,
  },
  tee: {
    programs: (knowledge) =>
      inWays(knowledge, ["tee"], [
        { give: knowledge.count, then: "end" },
        { give: knowledge.count, then: "end", stop: "cancel", at: 1, reason: reasons[0] },
      ]),
    problem(run, { give, stop }, knowledge) {
      const wanted = knowledge.expected(give);
      return endProblem(run) ?? compare(run.chunks, wanted, knowledge) ??
        compare(run.branch, stop === undefined ? wanted : wanted?.slice(0, 1), knowledge);
    },
  },
  bytes: {
    programs: (knowledge) => inWays(knowledge, ["BYOB"], [{ give: knowledge.count, then: "end" }]),
    problem(run, { give }, { expected }) {
      const wanted = expected(give);
      if (run.state !== "fulfilled") return endProblem(run);
      if (wanted === undefined) return;
      const [one, other] = [joinBytes(run.chunks), joinBytes(wanted)];
      return one.join() === other.join()
        ? undefined
        : `it gave ${one.length} bytes, not the ${other.length} of its chunks`;
    },
  },
  leaks: { programs: stops, problem: leakProblem },
  unhandled: { programs: stops, problem: unhandledProblem },
  idleAfterEnd: { programs: stops, problem: lateProblem },
};
