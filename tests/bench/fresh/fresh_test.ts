import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runProcess } from "../../../runtimes/run_process.ts";
import { commandOf } from "../../../runtimes/command_of.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { thisRuntime } from "../../lib/this_runtime.ts";

async function measure(script: string, ...args: string[]): Promise<number> {
  const path = fileURLToPath(new URL(`../../../bench/fresh/${script}`, import.meta.url));
  const { executable, name } = thisRuntime;
  const started = { executable, arguments: descriptors[name].runArguments(["--expose-gc"]) };
  const [command, ...rest] = commandOf(started, path, args);
  const { code, stdout, stderr } = await runProcess(command, rest);
  assertEquals([code, stderr], [0, ""]);
  return Number(stdout);
}

test("the second run of a process is measured for each that is compared", async () => {
  for (const contestant of ["pipeline", "async-generators"]) {
    assert(await measure("second_run.ts", contestant, "5") > 0);
  }
});

test("a run that waits holds something, of each kind", async () => {
  for (const contestant of ["pipeline", "web", "node", "async-generators"]) {
    assert(await measure("idle.ts", contestant) > 500, contestant);
  }
});

test("an import is measured", async () => {
  const module = fileURLToPath(new URL("../../../src/awaitable.ts", import.meta.url));
  assert(await measure("import_module.ts", module) >= 0);
});
