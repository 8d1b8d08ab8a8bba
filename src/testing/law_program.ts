import { printChunk } from "./print_chunk.ts";

/** How the stage stands between source and sink. */
export type LawWay = "native" | "fuse" | "pipeline";

/** One run of a stage, as small as it can be to show what a law is about. */
export interface LawProgram {
  readonly way: LawWay;
  /** How many chunks the source gives, and what it does then. */
  readonly give: number;
  readonly then: "end" | "stall" | "fail";
  /** What is done when nothing moves any more, or at an output chunk. */
  readonly stop?: "cancel" | "abort" | "write fails" | "write hangs" | "no demand";
  /** After how many output chunks that is. */
  readonly at?: number;
  /** What the source fails with, or what the stop gives. */
  readonly reason?: unknown;
  readonly slow?: "source" | "sink";
  /** A run before this one: of the same stage to its end, or of another that stands still meanwhile. */
  readonly before?: "same" | "other";
  /** Whether the stage is one whose code throws `reason`. */
  readonly isFailing?: boolean;
  /** Whether it is noted what the stage's methods do. */
  readonly isWatched?: boolean;
}

/** A program in words, as a report has it. */
export function describeProgram(program: LawProgram): string {
  const { way, give, then, stop, at = 0, reason, slow, before, isFailing } = program;
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  const why = isFailing || then === "fail" || stop !== undefined && "reason" in program
    ? ` with ${printChunk(reason)}`
    : "";
  return [
    way,
    ...(before === "same" ? ["the same stage again"] : []),
    ...(before === "other" ? ["while another run stands still"] : []),
    ...(isFailing ? [`the stage throws${why}`] : []),
    `the ${slow === "source" ? "slow " : ""}source gives ${chunks}, then ${then}s${
      then === "fail" ? why : ""
    }`,
    ...(slow === "sink" ? ["the sink is slow"] : []),
    ...(stop === undefined
      ? []
      : [`${stop}${stop === "no demand" ? "" : ` after ${at} output${why}`}`]),
  ].join(", ");
}
