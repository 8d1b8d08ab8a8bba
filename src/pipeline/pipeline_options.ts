import { checkDelay } from "../check_delay.ts";
import { checkSignal } from "../check_signal.ts";
import { checkBoolean, checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import type { PipelineOptions } from "./pipeline_types.ts";

/** Options of a run, all of them checked. */
export interface RunOptions extends PipelineOptions {
  /** Whether it is one of several runs, with pairs of streams between them. Default: `false`. */
  readonly isPart?: boolean | undefined;
  /** Whether its sink is the writable side of such a pair. Default: `false`. */
  readonly isBeforePair?: boolean | undefined;
}

const plainOptions: RunOptions = {};

/** Those of every run. */
export const gatherOptionNames = [
  "signal",
  "preventCancel",
  "onFailure",
  "callSite",
  "stallAfterMs",
  "onStall",
  "runName",
];

const known = ["preventClose", "preventAbort", ...gatherOptionNames];

/** Checks the options of `pipeline` and fills in the defaults. */
export function readRunOptions(action: string, options: unknown): RunOptions {
  checkOptions(action, options, known);
  if (options === undefined) return plainOptions;
  const given = options as Record<string, unknown>;
  const { runName, signal, onFailure, stallAfterMs, onStall } = given;
  if (runName !== undefined && (typeof runName !== "string" || runName === "")) {
    throwTypeError(action, "runName", "a text", runName);
  }
  if (signal !== undefined) checkSignal(action, "signal", signal);
  if (onFailure !== undefined) checkFunction(action, "onFailure", onFailure);
  checkStall(action, stallAfterMs, onStall);
  return {
    runName,
    signal,
    preventClose: readFlag(action, "preventClose", given.preventClose),
    preventAbort: readFlag(action, "preventAbort", given.preventAbort),
    preventCancel: readFlag(action, "preventCancel", given.preventCancel),
    onFailure: onFailure as RunOptions["onFailure"],
    callSite: readFlag(action, "callSite", given.callSite),
    stallAfterMs: stallAfterMs as number | undefined,
    onStall: onStall as RunOptions["onStall"],
  };
}

function readFlag(action: string, name: string, flag: unknown = false): boolean {
  checkBoolean(action, name, flag);
  return flag;
}

function checkStall(action: string, stallAfterMs: unknown, onStall: unknown): void {
  if (stallAfterMs === undefined && onStall === undefined) return;
  checkFunction(action, "onStall", onStall);
  checkDelay(action, "stallAfterMs", stallAfterMs);
}
