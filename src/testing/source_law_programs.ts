import type { SourceProgram, SourceWay } from "./source_law_types.ts";
import type { SourceKind } from "./source_subject.ts";

/** What a law knows of the source. */
export interface SourceKnowledge {
  readonly kind: SourceKind;
  readonly ways: readonly SourceWay[];
  readonly count: number;
  /** Whether it reads from what the laws watch; its own chunks are neither fewer nor late. */
  readonly isWatched: boolean;
  readonly expected: (count: number) => readonly unknown[] | undefined;
  readonly isSame: (actual: readonly unknown[], expected: readonly unknown[]) => boolean;
  readonly mostReads: (outputs: number) => number;
}

/** A program for any way to read. */
export type SourceRest = Omit<SourceProgram, "way">;

/** What ends fail with. */
export const reasons = [new Error("on purpose"), undefined];

/** The programs in these ways; what a source with chunks of its own cannot show is left out. */
export function inWays(
  { ways, isWatched, count }: SourceKnowledge,
  some: readonly SourceWay[],
  programs: readonly SourceRest[],
): SourceProgram[] {
  const shown = isWatched
    ? programs
    : programs.flatMap((program): SourceRest[] =>
      program.give < count || program.then === "fail" || program.stop === "abort" ||
        program.stop === "cancel with a pending read"
        ? []
        : [{ ...program, then: "end" }]
    );
  return shown.flatMap((program) =>
    ways.filter((way) => some.includes(way)).map((way) => ({ way, ...program }))
  );
}

/** Ways that read chunk by chunk. */
export const readings: readonly SourceWay[] = ["getReader", "for await"];
/** Ways that have a sink. */
export const pipes: readonly SourceWay[] = ["pipeTo", "pipeline"];
/** Ways for chunks of all kinds. */
export const all = [...readings, ...pipes];
const counts = ({ count }: SourceKnowledge) =>
  [...new Set([0, 1, 2, 3, count])].filter((give) => give <= count).sort((a, b) => a - b);
/** Small sources and the whole one, which end. */
export const wholes = (knowledge: SourceKnowledge) =>
  inWays(knowledge, all, counts(knowledge).map((give) => ({ give, then: "end" })));

/** Ends of all kinds. */
export const stops = (knowledge: SourceKnowledge): SourceProgram[] => {
  const { count } = knowledge;
  return [
    ...inWays(knowledge, all, [{ give: count, then: "end" }]),
    ...inWays(knowledge, readings, [
      { give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
    ]),
    ...inWays(knowledge, pipes, [
      { give: count, then: "stall", stop: "abort", reason: reasons[0] },
      { give: count, then: "stall", stop: "write fails", at: 1, reason: reasons[0] },
    ]),
    ...inWays(knowledge, all, [{ give: 1, then: "fail", reason: reasons[0] }]),
  ];
};
