import process from "node:process";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "./until.ts";

/**
 * What `scenarios/command_line/run_command.ts` listens to, and last what `scenarios/extract/command.ts` does: that shows that the
 * others are heeded, of which Deno catches all as soon as it has to catch one.
 */
const signals = ["SIGHUP", "SIGINT", "SIGTERM", "SIGXFSZ"] as const;

/** Tells whether a process has handlers for all of them, on Linux. */
async function heedsSignals(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const caught = BigInt(`0x${/^SigCgt:\s+(\w+)/m.exec(status)?.[1] ?? "0"}`);
  return signals.every((name) => (caught >> BigInt(constants.signals[name] - 1) & 1n) === 1n);
}

/**
 * Waits until an export of ours would clean up after Ctrl-C, however long it takes to start; one that is sent it
 * before is killed by it. Where there is no `/proc`, it waits for a second.
 *
 * @throws If the process has ended.
 */
export async function untilItHeedsSignals(pid: number): Promise<void> {
  if (process.platform !== "linux") return void await wait(1_000);
  await until(() => heedsSignals(pid));
}
