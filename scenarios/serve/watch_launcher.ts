import { readFile } from "node:fs/promises";
import process from "node:process";
import { watchUntilGone } from "../command_line/run_command.ts";

const checkEveryMs = 500;

/** Who started a process, or that there is no such process; `undefined` if the system does not say. */
async function parentOf(processId: number): Promise<number | "gone" | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${processId}/stat`, "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    return code === "ENOENT" || code === "ESRCH" ? "gone" : undefined;
  }
  // The name, in parentheses, may itself have some and spaces.
  const [, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
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
  if (typeof launcher !== "number") return;
  void watchUntilGone(
    async () => {
      if (process.ppid !== task) return true;
      const parent = await parentOf(task);
      return parent === undefined ? undefined : parent !== launcher;
    },
    checkEveryMs,
    onGone,
  );
}
