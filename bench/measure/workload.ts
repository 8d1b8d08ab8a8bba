import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Outcome, Params, ParamValue, Row } from "../results/result.ts";
import type { Bar, Rate } from "../tables/bar.ts";

/** A case that is not to be run on this machine; the message is its row, and no failure. */
export class CaseRefusal extends Error {
  override name = "CaseRefusal";
}

/** A case: workload, contestant, runtime and parameters. */
export interface BenchCase extends CaseRequest {
  readonly workload: string;
  readonly runtime: RuntimeName;
  /** Flags that the contestant needs of Node. */
  readonly nodeFlags: readonly string[];
  /** Flags of V8 that it is given in Deno. */
  readonly denoV8Flags?: readonly string[];
  /** Variables of the environment that it is given besides. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How much is measured: each set holds the one before it. */
export type CaseSet = "tour" | "publish" | "all" | "full";

/** A parameter: the values it takes in each profile, and how `--param name=v,v` is read. */
export interface ParamSpec {
  /** One line for `--list`, with the unit. */
  readonly about: string;
  /** The values of `--all`. */
  readonly values: readonly ParamValue[];
  /** The values of `--quick`; default: `values`. */
  readonly quick?: readonly ParamValue[];
  /** The values of the tour; default: those of `--quick`. */
  readonly tour?: readonly ParamValue[];
  /** The values of `--publish`; default: those of the tour. */
  readonly publish?: readonly ParamValue[];
  /** The values of `--full`; default: `values`. */
  readonly full?: readonly ParamValue[];
  /** Reads one value from the command line; throws an error that names the valid choices. */
  parse(text: string): ParamValue;
}

/** A case made ready: inputs exist, the contestant is loaded. */
export interface PreparedCase {
  /** Does the job once; this alone is timed. */
  run(): Promise<void>;
  /** Makes ready for another `run`, where a run uses up what it was given; not timed, and not called before the first. */
  reset?(): Promise<void>;
  /** Reads back what the last `run` produced; throws what is wrong with it. */
  verify(): Outcome | Promise<Outcome>;
  /** Removes temporary files. */
  dispose?(): Promise<void>;
  /** Whether how long it takes is a parameter: then one iteration says all. Default: false. */
  readonly isTimeGiven?: boolean;
  /** Whether its times settle late, since an iteration is made of many short calls, or each thread compiles by itself; default: false. */
  readonly isSlowToWarm?: boolean;
}

/** What is measured, as the driver and `--list` see it. */
export interface ContestantEntry {
  readonly name: string;
  /** One line: what it is. */
  readonly about: string;
  /** The npm package it stands for, whose version is that of `package.json`. */
  readonly package?: string;
  /** One line: its reservation, if it has one; a footnote of the tables. */
  readonly note?: string;
  /** The smallest set that has it; default: `all`. */
  readonly set?: CaseSet;
  /** Why it is faster than ours where it is; printed only where rows say that it is. */
  readonly whyFaster?: string;
  /** The runtimes it runs in; default: all. */
  readonly runtimes?: readonly RuntimeName[];
  /** Node flags it needs, such as `--experimental-…`. */
  readonly nodeFlags?: readonly string[];
  /** Flags of V8 it is given in Deno, which takes them only at its start. */
  readonly denoV8Flags?: readonly string[];
  /** Variables of the environment that its process is given besides. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it can do, or differs from others in, a case of these parameters; default: always. */
  takes?(params: Params): boolean;
}

/** A contestant as its workload sees it: its code is loaded only when it is asked for. */
export interface Contestant<Run> extends ContestantEntry {
  load(): Run | Promise<Run>;
}

/** Which case to make ready. */
export interface CaseRequest {
  readonly contestant: string;
  readonly params: Params;
  /** `--input FILE`, if given. */
  readonly input?: string;
}

/** What is measured: inputs, parameters, contestants and the check of the output. */
export interface Workload {
  readonly name: string;
  readonly about: string;
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly contestants: readonly ContestantEntry[];
  /** The smallest set that has it; default: `all`. */
  readonly set?: CaseSet;
  /** Who does the job without any library: when its time changes, the machine has; default: `hand`. */
  readonly control?: string;
  /** Why it has no control, and `compare` cannot tell whether the machine has changed. */
  readonly whyNoControl?: string;
  /** Why others are faster than ours where they are; printed only where rows say so. */
  readonly whyFaster?: string;
  /** What its tables show besides time, each in columns of its own. */
  readonly rates?: readonly Rate[];
  readonly bars?: readonly Bar[];
  /** Whether `--input FILE` means something to it. */
  readonly takesInput?: boolean;
  /**
   * Runtimes that its cases start processes of, besides their own; the driver finds them and names
   * their executables in `HOSEPIPE_DENO|BUN|NODE`.
   */
  readonly helpers?: readonly RuntimeName[];
  /** Made once by the driver, before any case runs (such as the default input). */
  prepareInput?(): Promise<void>;
  /**
   * Loads only the contestant asked for: a case's process holds no other's code.
   *
   * @throws {CaseRefusal} If the case is not to be run on this machine; that is its row, and no failure.
   */
  prepare(request: CaseRequest): Promise<PreparedCase>;
  /** Its own table of its rows, instead of the general ones; empty if there is nothing to show. */
  renderRows?(rows: readonly Row[]): string;
}
