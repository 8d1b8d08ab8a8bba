import { fileURLToPath } from "node:url";
import { describeMachine } from "../../bench/results/describe_machine.ts";
import { gitState } from "../../bench/results/git_state.ts";
import type { Machine } from "../../bench/results/result.ts";

/** When a row was measured, of which code, and where. */
export interface Measured {
  readonly startedAt: string;
  readonly commit: string | null;
  readonly machine: Machine;
}

/** Of which code rows are measured, and where: what is the same for all of them. */
export async function measuredHere(): Promise<Omit<Measured, "startedAt">> {
  const { commit } = await gitState(fileURLToPath(new URL("../..", import.meta.url)));
  return { commit, machine: describeMachine() };
}
