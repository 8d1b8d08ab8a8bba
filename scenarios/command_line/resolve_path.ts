import { resolve } from "node:path";
import process from "node:process";
import { project } from "../../runtimes/project.ts";

/**
 * Makes a path of the command line absolute, from the folder in which the command was typed: `deno task`
 * runs it in the project's, and says in `INIT_CWD` where it came from.
 */
export function resolvePath(path: string): string {
  const { INIT_CWD } = process.env;
  // Elsewhere it is left over from a task that this command has nothing to do with.
  const isTask = INIT_CWD !== undefined && process.cwd() === project;
  return isTask ? resolve(INIT_CWD, path) : resolve(path);
}
