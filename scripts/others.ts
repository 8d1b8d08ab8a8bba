// Checks stages that others wrote by the laws of checkStage in each runtime; writes what it finds for docs/testing.md.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { commandOf } from "../runtimes/command_of.ts";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const here = fileURLToPath(new URL("others/check_here.ts", import.meta.url));
const target = new URL("others/found.json", import.meta.url);
const packages: Record<string, string> = {
  "@std/streams": "deno-std",
  "@std/csv": "deno-std",
  "eventsource-parser": "eventsource-parser",
  "csv-parse": "csv-parse",
  "web-csv-toolbox": "web-csv-toolbox",
};

function versionOf(name: string): string {
  const path = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")).version;
}

const runtimes: Record<string, { readonly version: string; readonly stages: unknown }> = {};
for (const name of runtimeNames) {
  const runtime = await findRuntime(name);
  const [command, ...args] = commandOf(runtime, here);
  const stages = JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  runtimes[name] = { version: runtime.version, stages };
}
const versions = Object.fromEntries(
  Object.entries(packages).map(([shown, name]) => [shown, `${name} ${versionOf(name)}`]),
);
await writeFile(target, `${JSON.stringify({ versions, runtimes }, null, 2)}\n`);
