import { assertEquals, assertRejects } from "@std/assert";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runInRuntime } from "../../runtimes/run_in_runtime.ts";

const script = fileURLToPath(new URL("_exit_with.ts", import.meta.url));
const { name } = currentRuntime();
process.env[`HOSEPIPE_${name.toUpperCase()}`] = process.execPath;
const runtime = await findRuntime(name);
const never = new AbortController().signal;

test("runInRuntime gives the script's exit code", async () => {
  assertEquals(await runInRuntime(runtime, script, ["0"], never), 0);
  assertEquals(await runInRuntime(runtime, script, ["7"], never), 7);
});

test("runInRuntime hands Ctrl-C on and waits for what the script makes of it", async () => {
  const controller = new AbortController();
  const isReady = once(process, "SIGUSR2");
  const running = runInRuntime(runtime, script, ["at-interrupt"], controller.signal);
  await isReady;
  controller.abort();
  assertEquals(await running, 42);
});

test("runInRuntime starts nothing after Ctrl-C", async () => {
  assertEquals(await runInRuntime(runtime, script, ["0"], AbortSignal.abort()), 130);
});

test("runInRuntime rejects if the runtime cannot be started", async () => {
  const missing = { ...runtime, executable: "/hosepipe/no-such-runtime" };
  await assertRejects(() => runInRuntime(missing, script, ["0"], never), Error, "ENOENT");
});
