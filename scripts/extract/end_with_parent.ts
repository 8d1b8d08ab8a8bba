import process from "node:process";
import { watchUntilGone } from "../command_line/watch_until_gone.ts";

const everyMs = 200;

/**
 * Ends this process, as `kill` would, when the one that started it for its own sake is gone: a task or a command that
 * runs under another runtime, if it was killed, could not pass that on. Started by anything else it goes on,
 * which may be intended.
 */
export function endWithParent(): void {
  const named = process.env.HOSEPIPE_PARENT;
  if (!named || process.platform === "win32") return;
  const parent = /^\d+$/.test(named) ? Number(named) : process.ppid;
  void watchUntilGone(
    () => process.ppid !== parent,
    everyMs,
    () => process.kill(process.pid, "SIGTERM"),
  );
}
