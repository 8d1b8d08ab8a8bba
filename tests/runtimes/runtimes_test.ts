import process from "node:process";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { runProcess } from "../../runtimes/run_process.ts";
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

const evaluate = process.versions.deno === undefined ? "--eval" : "eval";

test("runProcess gives the exit code and both outputs", async () => {
  const result = await runProcess(process.execPath, [
    evaluate,
    `console.log("out"); console.error("err"); setTimeout(() => process.exit(7), 50)`.replace(
      /process/g,
      "globalThis.process",
    ),
  ]);
  assertEquals([result.code, result.timedOut], [7, false]);
  assertStringIncludes(result.output, "out\n");
  assertStringIncludes(result.output, "err\n");
});

test("runProcess keeps outputs apart, names the signal, and keeps no more than asked for", async () => {
  const script = `console.log("out"); console.error("a long line, of which the end is kept");
    globalThis.process.kill(globalThis.process.pid, "SIGKILL"); setInterval(() => {}, 1000);`;
  const result = await runProcess(process.execPath, [evaluate, script], { maxCharacters: 9 });
  assertEquals(
    [result.code, result.signal, result.startError, result.stderr],
    [null, "SIGKILL", undefined, "is kept\n".padStart(9)],
  );
});

test("runProcess ends what takes too long, and says so", async () => {
  const hangs = `console.log("begun"); setInterval(() => {}, 1e6);`;
  const { code, stdout, timedOut } = await runProcess(process.execPath, [evaluate, hangs], {
    timeoutMs: 1000,
  });
  assertEquals([code === 0, timedOut, "begun\n".startsWith(stdout)], [false, true, true]);
});

test("runProcess kills grandchildren with the child", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const connected = once(server, "connection");
  const grandchild =
    `require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1e6)`;
  const child = `
    const { spawn } = globalThis.process.getBuiltinModule("node:child_process");
    spawn("node", ["--eval", ${JSON.stringify(grandchild)}], { stdio: "inherit" });
    setInterval(() => {}, 1e6);`;
  const controller = new AbortController();
  const running = runProcess(process.execPath, [evaluate, child], { signal: controller.signal });
  const [socket] = await connected;
  const closed = once(socket.resume(), "close");
  socket.on("error", () => {});
  controller.abort();
  const result = await running;
  await closed;
  assert(result.code !== 0);
  server.close();
});
