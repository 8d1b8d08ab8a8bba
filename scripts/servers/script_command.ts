import process from "node:process";
import { fileURLToPath } from "node:url";

/** The command that runs a file of this project, of node:* modules alone, in the runtime that this is. */
export function scriptCommand(file: URL, ...args: readonly string[]): [string, ...string[]] {
  const isDeno = process.versions.deno !== undefined;
  const flags = isDeno ? ["run", "--quiet", "-A"] : [];
  return [process.execPath, ...flags, fileURLToPath(file), ...args];
}
