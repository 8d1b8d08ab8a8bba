import { checkSignal } from "../check_signal.ts";
import { checkOptions, throwTypeError } from "../errors.ts";

/** Options of a run, all of them checked. */
export interface RunOptions {
  readonly signal: AbortSignal | undefined;
  readonly preventClose: boolean;
  readonly preventAbort: boolean;
  readonly preventCancel: boolean;
  /** Whether it is one of several runs, with pairs of streams between them. Default: `false`. */
  readonly isPart?: boolean | undefined;
  /** Whether its sink is the writable side of such a pair. Default: `false`. */
  readonly isBeforePair?: boolean | undefined;
}

/** What no option asks for anything of is. */
export const plainOptions: RunOptions = {
  signal: undefined,
  preventClose: false,
  preventAbort: false,
  preventCancel: false,
};

/** Checks the options of `pipeline` and fills in the defaults. */
export function readOptions(action: string, options: unknown): RunOptions {
  checkOptions(action, options, ["signal", "preventClose", "preventAbort", "preventCancel"]);
  if (options === undefined) return plainOptions;
  const { signal, ...flags } = (options ?? {}) as Record<string, unknown>;
  if (signal !== undefined) checkSignal(action, "signal", signal);
  const read = (name: string): boolean => {
    const flag = flags[name] ?? false;
    if (typeof flag !== "boolean") throwTypeError(action, name, "a boolean", flag);
    return flag;
  };
  return {
    signal,
    preventClose: read("preventClose"),
    preventAbort: read("preventAbort"),
    preventCancel: read("preventCancel"),
  };
}
