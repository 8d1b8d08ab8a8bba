import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { runCommand } from "../../scripts/lib/run_command.ts";

const evaluate = process.versions.deno === undefined ? "--eval" : "eval";

test("runCommand gives the exit code and both outputs", async () => {
  const result = await runCommand(process.execPath, [
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

test("runCommand answers for a program that cannot be started", async () => {
  const result = await runCommand("hosepipe-no-such-program", []);
  assertEquals(result.code, null);
  assertStringIncludes(result.output, "hosepipe-no-such-program");
});

test("runCommand adds and takes away environment variables", async () => {
  const result = await runCommand(
    process.execPath,
    [
      evaluate,
      `console.log(String(globalThis.process.env.ADDED), "PATH" in globalThis.process.env)`,
    ],
    { env: { ADDED: "yes", PATH: undefined } },
  );
  assertEquals(result.output.trim(), "yes false");
});

test("runCommand kills grandchildren with the child", async () => {
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
  const running = runCommand(process.execPath, [evaluate, child], { signal: controller.signal });
  const [socket] = await connected;
  const closed = once(socket.resume(), "close");
  socket.on("error", () => {});
  controller.abort();
  const result = await running;
  await closed;
  assert(result.code !== 0);
  server.close();
});
