/**
 * Starts a command in a process that may do no more than its command line needs: `launch.ts COMMAND [flags]`. This
 * process itself may do anything: what may start a runtime with permissions of its choice has them all.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { descriptors } from "../runtimes/descriptors.ts";
import { findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { type NeedsOf, runCommand, type TaskNeeds } from "../scenarios/command_line/run_command.ts";
import { UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { watchLauncher } from "../scenarios/serve/watch_launcher.ts";

/** The commands that run in a process which may do no more than they need: how each says what that is. */
export const launched: Readonly<Record<string, () => Promise<NeedsOf>>> = {
  compare: async () => (await import("./compare.ts")).compareNeeds,
  demo: async () => (await import("../scenarios/demo/command.ts")).demoNeeds,
  playground: async () => (await import("./playground.ts")).playgroundNeeds,
  queue: async () => (await import("../scenarios/consume/queue_command.ts")).queueNeeds,
  serve: async () => (await import("../scenarios/serve/command.ts")).serveNeeds,
  site: async () => (await import("./site.ts")).siteNeeds,
};

/** Where the command of a job is, seen from `scripts`; any other is there itself. */
const jobFiles: Readonly<Record<string, string>> = {
  demo: "../scenarios/demo/command.ts",
  queue: "../scenarios/consume/queue_command.ts",
  serve: "../scenarios/serve/command.ts",
};

/** The runtime of this process needs not be looked for. */
async function runtimeOf({ runtime, needs, v8Flags }: TaskNeeds): Promise<Runtime> {
  const { name, version } = currentRuntime();
  const found = runtime === undefined || runtime === name
    ? { name, version, executable: process.execPath, origin: "this process" }
    : await findRuntime(runtime);
  const args = descriptors[found.name]
    .runArguments(v8Flags, needs === "any" ? undefined : needs);
  return { ...found, arguments: args };
}

/** Runs `use` with a folder for what a command makes for itself. */
async function withTemporary<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-")));
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the command that is named first; returns its exit code. */
export async function launch(
  [name = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const load = Object.hasOwn(launched, name) ? launched[name] : undefined;
  if (load === undefined) {
    throw new UsageError(`The commands are ${Object.keys(launched).join(", ")}, got ${name}`);
  }
  const needed = await (await load())(args);
  const file = jobFiles[name] ?? `${name}.ts`;
  const script = fileURLToPath(new URL(file, import.meta.url));
  await watchLauncher(() => process.kill(process.pid, "SIGTERM"));
  const run = async (task: TaskNeeds) =>
    await runInRuntime(await runtimeOf(task), script, args, signal);
  if (needed.needs === "any" || !needed.hasTemporary) return await run(needed);
  const { needs } = needed;
  return await withTemporary((folder) =>
    run({ ...needed, needs: { ...needs, write: [...needs.write ?? [], folder] } })
  );
}

if (import.meta.main) await runCommand(launch);
