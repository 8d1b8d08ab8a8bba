import { heardProblem, lastLaws, rejectionProblem } from "./law_problems.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import type { SourceKind, SourceProgram, SourceRun, SourceWay } from "./source_law_run.ts";
import { type InWays, type Knowledge, type Law, reasons, wholes } from "./try_laws.ts";

/** What a law knows of the source. */
export interface SourceKnowledge extends Knowledge<SourceWay> {
  readonly kind: SourceKind;
  /** Whether it reads from what the laws watch; its own chunks are neither fewer nor late. */
  readonly isWatched: boolean;
  readonly mostReads: (outputs: number) => number;
}

/** A program for some ways to read; without any named, for chunks of all kinds. */
type SourceRest = InWays<SourceProgram>;

/** Ways that read chunk by chunk. */
const readings: readonly SourceWay[] = ["getReader", "for await"];
/** Ways that have a sink. */
const pipes: readonly SourceWay[] = ["pipeTo", "pipeline"];

/** The program as the source can show it; one that a source with chunks of its own cannot show is left out. */
export function adaptProgram(
  program: SourceRest,
  { isWatched, count }: SourceKnowledge,
): SourceRest[] {
  const shown = { ways: [...readings, ...pipes], ...program };
  const { give, then, stop, isFailing } = program;
  if (isWatched || isFailing) return [shown];
  const isHidden = give < count || then === "fail" || stop === "abort" ||
    stop === "cancel with a pending read";
  return isHidden ? [] : [{ ...shown, then: "end" }];
}

/** Ends of all kinds. */
const stops = ({ count }: SourceKnowledge): SourceRest[] => [
  { give: count, then: "end" },
  { ways: readings, give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "abort", reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "write fails", at: 1, reason: reasons[0] },
  { give: 1, then: "fail", reason: reasons[0] },
];

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

const wholeProblem: SourceLaw["problem"] = (run, program, knowledge) =>
  endProblem(run) ?? outputProblem(run, program, knowledge);

/** The bytes of chunks, one after the other. */
const bytesOf = (chunks: readonly unknown[]): number[] =>
  chunks.flatMap((chunk) => [...chunk as Uint8Array]);

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
    programs: ({ count }) => [
      { give: count, then: "end", slow: "underlying" },
      { give: count, then: "end", slow: "reader" },
      { ways: ["getReader"], give: count, then: "end", isEager: true },
    ],
    problem: wholeProblem,
  },
  fresh: {
    programs: ({ count }) => [{ give: count, then: "end", before: "other" }],
    problem: wholeProblem,
  },
  laziness: {
    programs: ({ count }) => [{
      ways: ["getReader", "for await", "pipeline"],
      give: count,
      then: "stall",
      stop: "no demand",
    }],
    problem({ reads }, _, { mostReads }) {
      const most = mostReads(0);
      return reads > most ? `it read ${reads} chunks without demand, more than ${most}` : undefined;
    },
  },
  boundedReading: {
    programs: ({ count }) => [{ give: count, then: "stall", stop: "stop reading", at: 1 }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(pipes.includes(way) ? 2 : 1);
      return reads > most ? `it read ${reads} chunks for 1, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs({ kind, count }) {
      const stopped = reasons.flatMap((reason): SourceRest[] => [
        { ways: readings, give: 0, then: "stall", stop: "cancel", at: 0, reason },
        { ways: readings, give: count, then: "stall", stop: "cancel", at: 1, reason },
      ]);
      const stop = "cancel with a pending read";
      const reading = reasons.map((reason): SourceRest => (
        { ways: ["getReader"], give: 1, then: "stall", stop, at: 1, reason }
      ));
      // A generator that has not begun has nothing to end, and one that waits cannot be ended.
      return kind === "iterable" ? stopped.filter(({ at }) => at === 1) : [...stopped, ...reading];
    },
    problem(run, _, knowledge) {
      if (run.state === "pending") return "the cancel has not settled";
      if (run.state === "rejected") return `the cancel failed with ${printChunk(run.reason)}`;
      return cancelProblem(run, knowledge);
    },
  },
  abort: {
    programs: ({ count }) => [
      { ways: pipes, give: 0, then: "stall", stop: "abort", reason: reasons[0] },
      { ways: pipes, give: count, then: "stall", stop: "abort", reason: reasons[0] },
    ],
    problem: (run, _, knowledge) =>
      rejectionProblem(run) ??
        (knowledge.kind === "iterable" ? undefined : cancelProblem(run, knowledge)),
  },
  sinkError: {
    programs: ({ count: give }) =>
      reasons.map((reason) => (
        { ways: pipes, give, then: "stall", stop: "write fails", at: 1, reason }
      )),
    problem: (run, { give }, knowledge) =>
      (knowledge.expected(give)?.length ?? 0) < 2
        ? undefined
        : rejectionProblem(run) ?? cancelProblem(run, knowledge),
  },
  sourceError: {
    programs: () =>
      reasons.flatMap((reason): SourceRest[] => [
        { give: 0, then: "fail", reason },
        { give: 2, then: "fail", reason },
      ]),
    problem: rejectionProblem,
  },
  ownError: {
    programs: ({ count }) =>
      reasons.map((reason) => ({ give: count, then: "stall", reason, isFailing: true })),
    problem: rejectionProblem,
  },
  tee: {
    programs: ({ count }) => [
      { ways: ["tee"], give: count, then: "end" },
      { ways: ["tee"], give: count, then: "end", stop: "cancel", at: 1, reason: reasons[0] },
    ],
    problem(run, { give, stop }, knowledge) {
      const wanted = knowledge.expected(give);
      return endProblem(run) ?? compare(run.chunks, wanted, knowledge) ??
        compare(run.branch, stop === undefined ? wanted : wanted?.slice(0, 1), knowledge);
    },
  },
  bytes: {
    programs: ({ count }) => [{ ways: ["BYOB"], give: count, then: "end" }],
    problem(run, { give }, { expected }) {
      const wanted = expected(give);
      if (run.state !== "fulfilled") return endProblem(run);
      if (wanted === undefined) return;
      const [one, other] = [bytesOf(run.chunks), bytesOf(wanted)];
      return one.join() === other.join()
        ? undefined
        : `it gave ${one.length} bytes, not the ${other.length} of its chunks`;
    },
  },
  ...lastLaws(stops),
};
