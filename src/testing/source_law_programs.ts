import { reasons } from "./common_programs.ts";
import type { SourceProgram, SourceWay } from "./source_law_types.ts";
import type { SourceKind } from "./source_subject.ts";
import type { InWays, Knowledge } from "./try_laws.ts";

/** What a law knows of the source. */
export interface SourceKnowledge extends Knowledge<SourceWay> {
  readonly kind: SourceKind;
  /** Whether it reads from what the laws watch; its own chunks are neither fewer nor late. */
  readonly isWatched: boolean;
  readonly mostReads: (outputs: number) => number;
}

/** A program for some ways to read; without any named, for chunks of all kinds. */
export type SourceRest = InWays<SourceProgram>;

/** Ways that read chunk by chunk. */
export const readings: readonly SourceWay[] = ["getReader", "for await"];
/** Ways that have a sink. */
export const pipes: readonly SourceWay[] = ["pipeTo", "pipeline"];

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
export const stops = ({ count }: SourceKnowledge): SourceRest[] => [
  { give: count, then: "end" },
  { ways: readings, give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "abort", reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "write fails", at: 1, reason: reasons[0] },
  { give: 1, then: "fail", reason: reasons[0] },
];
