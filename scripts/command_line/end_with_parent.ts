import process from "node:process";
import { watchUntilGone } from "./watch_until_gone.ts";

const everyMs = 200;

/**
 * Calls `onGone` when the process that started this one for its own sake is gone: a task, or a command that runs as a
 * child, if it was killed, could not pass that on. Started by anything else this one goes on, which may be intended.
 */
export function endWithParent(onGone: () => void): void {
  const named = process.env.HOSEPIPE_PARENT;
  if (!named || process.platform === "win32") return;
  // What this process starts has another parent.
  delete process.env.HOSEPIPE_PARENT;
  const parent = /^\d+$/.test(named) ? Number(named) : process.ppid;
  void watchUntilGone(() => process.ppid !== parent, everyMs, onGone);
}
