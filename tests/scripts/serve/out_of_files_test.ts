import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { withFixture } from "../../files/fixture.ts";
import { parseResponse, rawRequest } from "../../files/raw_request.ts";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const script = pathOf("../../../scenarios/serve/command.ts");
const holdConnections = pathOf("../../files/_hold_connections.py");
const runtimeArguments = descriptors[currentRuntime().name].runArguments();

/** Several times as long as the command takes to look after its launcher. */
const whileHeldMs = 2500;

/** Connections of one client, which must not run out of files itself. */
const perClient = 300;

/** Holds connections, in processes of their own, while `use` runs. */
async function whileHeld(port: number, count: number, use: () => Promise<void>): Promise<void> {
  const clients = Array.from({ length: Math.ceil(count / perClient) }, (_, index) => {
    const held = Math.min(perClient, count - index * perClient);
    return spawn("python3", [holdConnections, `${port}`, `${held}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  });
  try {
    for (const client of clients) await once(client.stdout, "data");
    await use();
  } finally {
    const ended = clients.map((client) => once(client, "close"));
    for (const client of clients) client.stdin.end();
    await Promise.all(ended);
  }
}

/** Whether a request is answered sooner or later: a busy machine lets a server wait long before it listens again. */
async function isAnswered(port: number): Promise<boolean> {
  const text = "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  for (let tries = 0; tries < 600; tries++) {
    const bytes = await rawRequest(port, text, { timeoutMs: 1000 }).catch(() => undefined);
    if (bytes && parseResponse(bytes).body.toString() === "hello world\n") return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

for (const api of ["web", "node"]) {
  for (const limit of [64, 256, 1024]) {
    test(`serve --api ${api} with ${limit} files and more connections goes on`, {
      skip: process.platform === "linux" ? false : "only where there is /proc",
    }, () =>
      withFixture(async (root) => {
        // As npx starts it: a shell, a task that waits, and the command.
        const task = `ulimit -n ${limit}; sh -c '"$@"; exit $?' task "$@"; exit $?`;
        const flags = ["--port", "0", "--api", api, "--root", root];
        const command = [process.execPath, ...runtimeArguments, script, ...flags];
        const child = spawn("sh", ["-c", task, "sh", ...command], {
          env: { ...process.env, npm_command: "exec" },
          stdio: ["ignore", "pipe", "ignore"],
        });
        let code: number | null | undefined;
        const closed = once(child, "close").then(([exitCode]) => code = exitCode);
        try {
          const [line] = await once(createInterface({ input: child.stdout }), "line");
          assertMatch(line, /^Serving /);
          const port = Number(/127\.0\.0\.1:(\d+)\//.exec(line)![1]);
          assert(await isAnswered(port), "before the clients");
          await whileHeld(
            port,
            limit + 100,
            () => new Promise((resolve) => setTimeout(resolve, whileHeldMs)),
          );
          assertEquals(code, undefined, "the command goes on");
          assert(await isAnswered(port), "after the clients");
        } finally {
          // Its launcher's end is its own.
          child.kill("SIGKILL");
          await closed;
        }
      }));
  }
}
