import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { pattern } from "../node_compat/files/fixture.ts";
import { parseResponse, rawRequest } from "../node_compat/files/raw_request.ts";

const { name: runtimeName } = currentRuntime();
const script = fileURLToPath(new URL("../../scripts/serve.ts", import.meta.url));
const register = new URL("../../node_compat/register.mjs", import.meta.url).href;
const runtimeArguments = {
  deno: ["run", "--allow-all", "--no-check"],
  bun: ["run"],
  node: ["--import", register],
}[runtimeName];
const isWindows = process.platform === "win32" ? "no signals there" : false;

interface Command {
  readonly child: ChildProcess;
  /** The first line of output, which names the address. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function start(args: readonly string[], environment: Record<string, string> = {}): Command {
  const child = spawn(process.execPath, [...runtimeArguments, script, ...args], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  const firstLine = Promise.withResolvers<string>();
  child.stdout!.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    if (stdout.includes("\n")) firstLine.resolve(stdout.slice(0, stdout.indexOf("\n")));
  });
  child.stderr!.setEncoding("utf8").on("data", (text) => stderr += text);
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once("close", (code) => {
      firstLine.resolve("");
      resolve({ code, stdout, stderr });
    })
  );
  return { child, firstLine: firstLine.promise, ended };
}

async function portOf({ firstLine }: Command): Promise<number> {
  return Number(/127\.0\.0\.1:(\d+)\//.exec(await firstLine)![1]);
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-serve-command-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const get = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

for (
  const [args, problem] of [
    [["--mode", "fast"], "--mode must be one of stream, buffer, got fast"],
    [["--api", "deno"], "--api must be one of web, node, got deno"],
    [["--port", "70000"], '--port must be an integer from 0 to 65535, got "70000"'],
    [["--root", "no/such/folder"], "Cannot serve --root no/such/folder: no such folder"],
    [["--root", script], `Cannot serve --root ${script}: it is not a folder`],
  ] as const
) {
  test(`serve ${args.join(" ").slice(0, 20)} exits 2 with one line`, async () => {
    assertEquals(await start(args).ended, { code: 2, stdout: "", stderr: `${problem}\n` });
  });
}

test("serve --help tells every flag", async () => {
  const { code, stdout } = await start(["--help"]).ended;
  assertEquals(code, 0);
  for (const flag of ["root", "port", "host", "mode", "api", "runtime", "grace-ms"]) {
    assertMatch(stdout, new RegExp(`^  --${flag} `, "m"));
  }
});

test("serve on an address in use exits 1 with one line", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  for (const api of ["web", "node"]) {
    const { code, stderr } = await start(["--port", String(port), "--api", api]).ended;
    assertEquals([code, stderr.trim().split("\n").length], [1, 1], stderr);
    assertMatch(stderr, new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: `));
  }
  await new Promise((resolve) => server.close(resolve));
});

for (const api of ["web", "node"]) {
  test(`serve --api ${api} serves a generated file, and takes it along at Ctrl-C`, {
    skip: isWindows,
  }, async () => {
    const command = start(["--port", "0", "--api", api]);
    const port = await portOf(command);
    const folder = /^Serving (.*) at http/.exec(await command.firstLine)![1]!;
    assertEquals(existsSync(folder), true);
    const { status, body, isWhole } = parseResponse(await rawRequest(port, get("/sample.bin")));
    assertEquals([status, body.length, isWhole], [200, 32 * 2 ** 20, true]);
    process.kill(command.child.pid!, "SIGINT");
    assertEquals((await command.ended).code, 130);
    assertEquals(existsSync(folder), false);
  });

  test(`serve --api ${api} finishes an open answer at Ctrl-C, and gives up one that stands still`, {
    skip: isWindows,
  }, () =>
    inFolder(async (root) => {
      await writeFile(join(root, "long.bin"), pattern(48 * 2 ** 20));
      const settings = ["--root", root, "--port", "0", "--api", api];
      const finishing = start([...settings, "--grace-ms", "60000"]);
      const whole = await rawRequest(await portOf(finishing), get("/long.bin"), {
        async whilePaused() {
          process.kill(finishing.child.pid!, "SIGINT");
          await new Promise((resolve) => setTimeout(resolve, 300));
        },
      });
      assertEquals(parseResponse(whole).isWhole, true);
      assertEquals((await finishing.ended).code, 130);

      const waiting = start([...settings, "--grace-ms", "200"]);
      let code: number | null | undefined;
      const cut = await rawRequest(await portOf(waiting), get("/long.bin"), {
        async whilePaused() {
          process.kill(waiting.child.pid!, "SIGINT");
          ({ code } = await waiting.ended);
        },
      });
      assertEquals(code, 130);
      assertEquals(parseResponse(cut).isWhole, false);
    }));
}

test("serve --runtime runs under another runtime, found as everywhere", async () => {
  const other = runtimeNames.find((name) => name !== runtimeName)!;
  const variable = `HOSEPIPE_${other.toUpperCase()}`;
  const { code, stdout, stderr } = await start(["--runtime", other], {
    [variable]: "/no/such/runtime",
  }).ended;
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, new RegExp(`^Cannot run ${variable}=/no/such/runtime: [^\n]*\n$`));
  assert(stderr.length > 0);
});
