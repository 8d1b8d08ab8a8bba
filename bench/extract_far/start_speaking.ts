import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Starts what says in its first line where it is to be found.
 *
 * @returns The process, and that line; `undefined` for the line if it ends without one.
 */
export async function startSpeaking(
  [executable, ...args]: readonly [string, ...string[]],
): Promise<{ child: ChildProcess; line: string | undefined }> {
  const child = spawn(executable, args, { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout! });
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve);
    for (const end of ["error", "exit"]) child.once(end, () => resolve(undefined));
  });
  lines.close();
  child.stdout!.destroy();
  return { child, line };
}
