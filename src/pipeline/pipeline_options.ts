import { checkDelay } from "../check_delay.ts";
import { checkSignal } from "../check_signal.ts";
import type { RunFailure } from "../engine/run_failure.ts";
import { checkFunction, checkOptions, throwTypeError } from "../errors.ts";

/** Options of a run, all of them checked. */
export interface RunOptions {
  /** Whether nothing is asked for but what a signal does. Default: `false`. */
  readonly isPlain?: boolean | undefined;
  readonly runName?: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly preventClose: boolean;
  readonly preventAbort: boolean;
  readonly preventCancel: boolean;
  /** Called with where it has failed. */
  readonly onFailure?: ((failure: RunFailure) => void) | undefined;
  /** After how many milliseconds without anything that moves `onStall` is called. */
  readonly stallAfterMs?: number | undefined;
  readonly onStall?: ((run: never) => void) | undefined;
  /** Whether it keeps where it was called. Default: `false`. */
  readonly keepsCallSite?: boolean | undefined;
  /** Whether it is one of several runs, with pairs of streams between them. Default: `false`. */
  readonly isPart?: boolean | undefined;
  /** Whether its sink is the writable side of such a pair. Default: `false`. */
  readonly isBeforePair?: boolean | undefined;
}

const plainOptions: RunOptions = {
  isPlain: true,
  signal: undefined,
  preventClose: false,
  preventAbort: false,
  preventCancel: false,
};

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
export function readOptions(action: string, options: unknown): RunOptions {
  checkOptions(action, options, known);
  if (options === undefined) return plainOptions;
  const { runName, signal, onFailure, stallAfterMs, onStall, ...flags } = (options ?? {}) as Record<
    string,
    unknown
  >;
  if (runName !== undefined && (typeof runName !== "string" || runName === "")) {
    throwTypeError(action, "runName", "a text", runName);
  }
  if (signal !== undefined) {
    checkSignal(action, "signal", signal);
    const isPlain = Object.entries(options as object)
      .every(([name, value]) => name === "signal" || value === undefined);
    if (isPlain) return { ...plainOptions, signal };
  }
  if (onFailure !== undefined) checkFunction(action, "onFailure", onFailure);
  checkStall(action, stallAfterMs, onStall);
  const read = (name: string): boolean => {
    const flag = flags[name] ?? false;
    if (typeof flag !== "boolean") throwTypeError(action, name, "a boolean", flag);
    return flag;
  };
  return {
    runName,
    signal,
    preventClose: read("preventClose"),
    preventAbort: read("preventAbort"),
    preventCancel: read("preventCancel"),
    onFailure: onFailure as RunOptions["onFailure"],
    keepsCallSite: read("callSite"),
    stallAfterMs: stallAfterMs as number | undefined,
    onStall: onStall as RunOptions["onStall"],
  };
}

function checkStall(action: string, stallAfterMs: unknown, onStall: unknown): void {
  if (stallAfterMs === undefined && onStall === undefined) return;
  checkFunction(action, "onStall", onStall);
  checkDelay(action, "stallAfterMs", stallAfterMs);
}
