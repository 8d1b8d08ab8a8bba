import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/descriptors.ts";
import { thisRuntime } from "./this_runtime.ts";

const root = new URL("../../", import.meta.url);

/** How a command ended. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface StartedScript {
  readonly child: ChildProcess;
  /** What it prints first; empty if it prints nothing. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<ScriptEnd>;
}

/** Waits for a process to end. */
export function endOf(child: ChildProcess): Promise<ScriptEnd> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => stdout += text);
  child.stderr?.setEncoding("utf8").on("data", (text) => stderr += text);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/**
 * Starts a file of the project under the runtime that runs the test.
 *
 * @param path From the project's folder, such as `scenarios/serve/command.ts`.
 * @param env Added to the variables of this process.
 * @param first What starts it: a command, and what comes before the file's name.
 */
export function startScript(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  first?: readonly string[],
): StartedScript {
  const file = fileURLToPath(new URL(path, root));
  const [command, ...rest] = first ? [...first, file, ...args] : commandOf(thisRuntime, file, args);
  const child = spawn(command!, rest, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = endOf(child);
  let text = "";
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.on(
      "data",
      (more) => (text += more).includes("\n") && resolve(text.split("\n")[0]!),
    );
    ended.then(() => resolve(text), () => resolve(""));
  });
  return { child, firstLine, ended };
}
