import type { HeldOutcome } from "./held_run.ts";
import type { HeldProgram } from "./held_program.ts";
import { printChunk } from "./print_chunk.ts";

/** How a sink is written to. */
export type SinkWay = "writer" | "pipeTo" | "pipeline";

/** One run into a sink. */
export interface SinkProgram extends
  HeldProgram<
    SinkWay,
    "abort" | "write fails" | "write hangs" | "close fails",
    "underlying" | "source"
  > {
  /** Whether all is written at once. */
  readonly isEager?: boolean;
  /** Another run that stands still meanwhile. */
  readonly before?: "other";
}

/** What a program's run has shown. */
export interface SinkRun extends HeldOutcome {
  /** What has arrived below, or is read back. */
  readonly chunks: readonly unknown[] | undefined;
  /** How many writes the sink has called done. */
  readonly accepted: number;
  /** How many chunks the source has given. */
  readonly reads: number;
  readonly cancels: readonly unknown[];
  readonly aborts: readonly unknown[];
  readonly closes: number;
  /** How many writes below had begun when one of them failed, and in all. */
  readonly begunAtFailure: number | undefined;
  readonly begun: number;
  /** What was asked of what it stands on while that was busy. */
  readonly overlap: string | undefined;
}

/** A program in words, as a report has it. */
export function describeSinkProgram(program: SinkProgram): string {
  const { way, give, then, stop, at = 0, reason, slow, isEager, before, isFailing } = program;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before && "while another run stands still",
    isFailing && `the sink fails${why}`,
    `the ${slow === "source" ? "slow " : ""}source gives ${chunks}${
      isEager ? " at once" : ""
    }, then ${then}s${then === "fail" ? why : ""}`,
    slow === "underlying" && "what it stands on is slow",
    stop && `${stop}${stop === "close fails" ? "" : ` after ${at}`}${why}`,
  ].filter(Boolean).join(", ");
}
