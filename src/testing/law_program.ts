import type { HeldProgram } from "./held_program.ts";
import { printChunk } from "./print_chunk.ts";

/** How the stage stands between source and sink. */
export type LawWay = "native" | "fuse" | "pipeline";

/** One run of a stage. */
export interface LawProgram extends
  HeldProgram<
    LawWay,
    "cancel" | "abort" | "write fails" | "write hangs" | "no demand",
    "source" | "sink"
  > {
  /** A run before this one: of the same stage to its end, or of another that stands still meanwhile. */
  readonly before?: "same" | "other";
  /** Whether it is noted what the stage's methods do. */
  readonly isWatched?: boolean;
}

/** A program in words, as a report has it. */
export function describeProgram(program: LawProgram): string {
  const { way, give, then, stop, at = 0, reason, slow, before, isFailing } = program;
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  return [
    way,
    before === "same" && "the same stage again",
    before === "other" && "while another run stands still",
    isFailing && `the stage throws${why}`,
    `the ${slow === "source" ? "slow " : ""}source gives ${chunks}, then ${then}s${
      then === "fail" ? why : ""
    }`,
    slow === "sink" && "the sink is slow",
    stop && `${stop}${stop === "no demand" ? "" : ` after ${at} output${why}`}`,
  ].filter(Boolean).join(", ");
}
