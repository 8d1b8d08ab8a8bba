import type { RuntimeName } from "../../../runtimes/current_runtime.ts";
import type { QueueKind } from "./fault_place.ts";

/** A run under one fault, and what came of it. */
export interface FaultRun {
  readonly fault: string;
  readonly queue: QueueKind;
  readonly runtimes: readonly RuntimeName[];
  readonly startedAt: string;
  readonly elapsedMs: number;
  readonly messages: number;
  /** Workers that were killed. */
  readonly kills: number;
  /** How often other harm was done. */
  readonly harms: number;
  readonly repeats: number;
  readonly lost: number;
  readonly doubled: number;
  /** Dead letters: none of the messages deserves it. */
  readonly dead: number;
  /** What is wrong besides, in words. */
  readonly problems: readonly string[];
}
