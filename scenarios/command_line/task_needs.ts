import type { Needs } from "../../runtimes/needs.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";

/** What a command needs, as its command line says. */
export interface TaskNeeds {
  /** Default: the one that runs the launcher. */
  readonly runtime?: RuntimeName | undefined;
  /** `any` where it starts programs that it does not know before. */
  readonly needs: Needs | "any";
  /** Whether it makes files of its own, which nothing outlives. */
  readonly hasTemporary?: boolean;
  readonly v8Flags?: readonly string[];
}

/** A command line's needs; of one that is not understood it throws what the command would. */
export type NeedsOf = (args: readonly string[]) => TaskNeeds | Promise<TaskNeeds>;
