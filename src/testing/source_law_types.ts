import type { HeldOutcome } from "./held_run.ts";
import type { HeldProgram } from "./held_program.ts";
import { printChunk } from "./print_chunk.ts";

/** How a source is read. */
export type SourceWay = "getReader" | "for await" | "pipeTo" | "pipeline" | "tee" | "BYOB";

/** One reading of a source; what it stands on gives the chunks. */
export interface SourceProgram extends
  HeldProgram<
    SourceWay,
    | "cancel"
    | "cancel with a pending read"
    | "abort"
    | "write fails"
    | "no demand"
    | "stop reading",
    "underlying" | "reader"
  > {
  /** Whether all is read at once. */
  readonly isEager?: boolean;
  /** Another run that stands still meanwhile. */
  readonly before?: "other";
}

/** What a program's run has shown. */
export interface SourceRun extends HeldOutcome {
  readonly chunks: readonly unknown[];
  /** What the other branch of a tee has given. */
  readonly branch: readonly unknown[];
  readonly readsAt: readonly number[];
  readonly reads: number;
  readonly cancels: readonly unknown[];
}

/** A program in words, as a report has it. */
export function describeSourceProgram(program: SourceProgram, isWatched: boolean): string {
  const { way, give, then, stop, at = 0, reason, slow, isEager, before, isFailing } = program;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before && "while another run stands still",
    isFailing && `the source fails${why}`,
    isWatched &&
    `the ${slow === "underlying" ? "slow " : ""}underlying source gives ${chunks}, then ${then}s${
      then === "fail" ? why : ""
    }`,
    slow === "reader" && "the reader is slow",
    isEager && "all is read at once",
    stop && (stop === "no demand" ? stop : `${stop} after ${at}${why}`),
  ].filter(Boolean).join(", ");
}
