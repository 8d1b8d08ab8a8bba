import type { HeldOutcome } from "./held_run.ts";
import { printChunk } from "./print_chunk.ts";

/** How a source is read. */
export type SourceWay = "getReader" | "for await" | "pipeTo" | "pipeline" | "tee" | "BYOB";

/** One reading of a source, as small as it can be to show what a law is about. */
export interface SourceProgram {
  readonly way: SourceWay;
  /** How many chunks what it stands on gives, and what that does then. */
  readonly give: number;
  readonly then: "end" | "stall" | "fail";
  /** What is done after `at` chunks, or when nothing moves any more. */
  readonly stop?:
    | "cancel"
    | "cancel with a pending read"
    | "abort"
    | "write fails"
    | "no demand"
    | "stop reading";
  readonly at?: number;
  /** What the source fails with, or what the stop gives. */
  readonly reason?: unknown;
  readonly slow?: "underlying" | "reader";
  /** Whether all is read at once. */
  readonly isEager?: boolean;
  /** Another run that stands still meanwhile. */
  readonly before?: "other";
  /** Whether the source is one that fails with `reason` by itself. */
  readonly isFailing?: boolean;
}

/** What a program's run has shown. */
export interface SourceRun extends HeldOutcome {
  readonly chunks: readonly unknown[];
  /** What the other branch of a tee has given. */
  readonly branch: readonly unknown[];
  readonly readsAt: readonly number[];
  readonly stopReason: unknown;
  readonly reads: number;
  readonly cancels: readonly unknown[];
  readonly late: readonly string[];
}

/** A program in words, as a report has it. */
export function describeSourceProgram(program: SourceProgram, isWatched: boolean): string {
  const { way, give, then, stop, at = 0, reason, slow, isEager, before, isFailing } = program;
  const why = isFailing || then === "fail" || "reason" in program
    ? ` with ${printChunk(reason)}`
    : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    ...(before === undefined ? [] : ["while another run stands still"]),
    ...(isFailing ? [`the source fails${why}`] : []),
    ...(isWatched
      ? [
        `the ${
          slow === "underlying" ? "slow " : ""
        }underlying source gives ${chunks}, then ${then}s${then === "fail" ? why : ""}`,
      ]
      : []),
    ...(slow === "reader" ? ["the reader is slow"] : []),
    ...(isEager ? ["all is read at once"] : []),
    ...(stop === undefined ? [] : [stop === "no demand" ? stop : `${stop} after ${at}${why}`]),
  ].join(", ");
}
