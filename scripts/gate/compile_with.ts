import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRuntime, type Runtime } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

/**
 * The compilers, each by its package in this project's `node_modules`: the lowest that works, the last written in
 * JavaScript, the newest.
 */
export type Compiler = "typescript-5.4" | "typescript" | "typescript-7";

// The newest is written in Go: other threads would check the libraries again, and so much memory need not be tidied.
const settings: Readonly<Record<Compiler, readonly string[]>> = {
  "typescript-5.4": [],
  "typescript": [],
  "typescript-7": ["--singleThreaded"],
};
let node: Promise<Runtime> | undefined;
const env = { NO_COLOR: "1", GOGC: "400" };

/** Compiles in a folder; returns what the compiler finds, or nothing if that is in order. */
export async function compileWith(
  compiler: Compiler,
  cwd: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  // Asked once: the answer may take npm a second.
  const { executable } = await (node ??= findRuntime("node"));
  const command = [join(modules, compiler, "bin/tsc"), ...args, ...settings[compiler]];
  const { code, output } = await runProcess(executable, command, { cwd, env, signal });
  return code === 0 ? undefined : output.trimEnd() || `${compiler} ended with ${code}`;
}
