import type { Measured } from "../rows/measured.ts";

/** One export of the same rows by one tool. */
export interface BesideRow extends Measured {
  /** What is read, and how it is written. */
  readonly job: string;
  readonly tool: string;
  readonly round: number;
  /** Without the start of the process. */
  readonly seconds: number;
}

/** The database's own tool, which the others are compared with. */
export const ownTool = "its own tool";
