import { readFile } from "node:fs/promises";
import process from "node:process";

const checkEveryMs = 500;

/** Who started a process; `undefined` where the system does not tell, or there is no such process. */
async function parentOf(processId: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => undefined);
  // The name, in parentheses, may itself have some and spaces.
  const [, parent] = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/**
 * Calls `onGone` once the launcher above `deno task` has died. `npx` passes a request to end on to its shell
 * alone, which does not: the server would go on with nothing to stop it. Only where there is `/proc`, and
 * only under `npx` or `npm`.
 */
export async function watchLauncher(onGone: () => void): Promise<void> {
  if (process.env.npm_command === undefined) return;
  const task = process.ppid;
  const launcher = await parentOf(task);
  if (launcher === undefined) return;
  const timer = setInterval(async () => {
    if (process.ppid === task && await parentOf(task) === launcher) return;
    clearInterval(timer);
    onGone();
  }, checkEveryMs);
  timer.unref();
}
