import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";
import process from "node:process";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { logLine } from "../../scenarios/serve/command.ts";
import { hasLinks, pattern, withFixture } from "../files/fixture.ts";
import { parseResponse, rawRequest } from "../files/raw_request.ts";
import { inFolder } from "../lib/in_folder.ts";
import { type StartedScript, startScript } from "../lib/start_script.ts";
import { until } from "../lib/until.ts";

const { name: runtimeName } = currentRuntime();
const runtimeArguments = descriptors[runtimeName].runArguments();
const isWindows = process.platform === "win32" ? "no signals there" : false;

/** Starts the server with flags; `first` are a command that starts it, and the runtime's own flags. */
const start = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  first?: readonly string[],
) => startScript("scenarios/serve/command.ts", args, env, first);

/** As npx starts it: a shell, which passes no request to end on, and a task, which waits. */
const underTask = (before = "") => [
  ...["sh", "-c", `${before}sh -c '"$@"; exit $?' task "$@"; exit $?`, "sh"],
  ...[process.execPath, ...runtimeArguments],
];

async function portOf({ firstLine }: StartedScript): Promise<number> {
  return Number(/127\.0\.0\.1:(\d+)\//.exec(await firstLine)![1]);
}

const get = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

test("serve --max-open-files and --queue-ms refuse what is beyond them", () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, "long.bin"), pattern(16 * 2 ** 20));
    const limits = ["--max-open-files", "1", "--queue-ms", "0"];
    for (const api of ["web", "node"]) {
      const command = start(["--port", "0", "--root", folder, "--api", api, ...limits]);
      const port = await portOf(command);
      let second = Promise.resolve(0);
      await rawRequest(port, get("/long.bin"), {
        whilePaused: async () =>
          void await (second = rawRequest(port, get("/long.bin")).then((bytes) =>
            parseResponse(bytes).status
          )),
      });
      assertEquals(await second, 503);
      command.child.kill("SIGKILL");
      await command.ended;
    }
  }));

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
      const cut = await rawRequest(await portOf(waiting), get("/long.bin"), {
        async whilePaused() {
          process.kill(waiting.child.pid!, "SIGINT");
          await waiting.ended;
        },
      });
      assertEquals((await waiting.ended).code, 130);
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

test(
  "serve takes a path in the folder where the task was typed",
  { skip: isWindows },
  () =>
    inFolder(async (folder) => {
      await mkdir(join(folder, "below"));
      await writeFile(join(folder, "below", "here.txt"), "here\n");
      const command = start(["below", "--port", "0"], { INIT_CWD: folder });
      const port = await portOf(command);
      const { body } = parseResponse(await rawRequest(port, get("/here.txt")));
      assertEquals(body.toString(), "here\n");
      // Not the project's.
      assertEquals(parseResponse(await rawRequest(port, get("/deno.json"))).status, 404);
      process.kill(command.child.pid!, "SIGTERM");
      assertEquals((await command.ended).code, 143);
    }),
);

for (const api of ["web", "node"]) {
  test(
    `serve --api ${api} --log lists a folder, hides names with a dot, and tells what it answered`,
    {
      skip: isWindows,
    },
    () =>
      inFolder(async (root) => {
        await writeFile(join(root, "a.txt"), "aaaa");
        await writeFile(join(root, ".env"), "SECRET");
        const flags = ["--root", root, "--port", "0", "--api", api, "--log"];
        const command = start([...flags, "--idle-timeout-ms", "60000"]);
        const port = await portOf(command);
        const ask = async (target: string, method = "GET") =>
          parseResponse(await rawRequest(port, get(target).replace("GET", method)), method);
        const foreign = get("/a.txt").replace("localhost", "evil.example");
        assertEquals(parseResponse(await rawRequest(port, foreign)).status, 421);
        // The address it prints is one that answers.
        const { status, body } = await ask("/");
        assertEquals([status, /a\.txt/.test(`${body}`), /env/.test(`${body}`)], [200, true, false]);
        assertEquals((await ask("/a.txt")).status, 200);
        assertEquals((await ask("/.env")).status, 404);
        await ask("/a.txt", "HEAD");
        process.kill(command.child.pid!, "SIGTERM");
        const { code, stdout } = await command.ended;
        assertEquals(code, 143);
        const lines = stdout.trim().split("\n").slice(1);
        const date = /^127\.0\.0\.1 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] /;
        assertEquals(lines.map((line) => line.replace(date, "")), [
          '"GET /a.txt HTTP/1.1" 421 57',
          `"GET / HTTP/1.1" 200 ${body.length}`,
          '"GET /a.txt HTTP/1.1" 200 4',
          '"GET /.env HTTP/1.1" 404 10',
          '"HEAD /a.txt HTTP/1.1" 200 -',
        ]);

        const allowing = start([...flags, "--dotfiles", "allow"]);
        const bytes = await rawRequest(await portOf(allowing), get("/.env"));
        assertEquals(parseResponse(bytes).body.toString(), "SECRET");
        process.kill(allowing.child.pid!, "SIGTERM");
        await allowing.ended;
      }),
  );
}

test("serve ends when what npx started it with has been ended", {
  skip: process.platform === "linux" ? false : "only where there is /proc",
}, async () => {
  const command = start(["--port", "0"], { npm_command: "exec" }, underTask());
  const folder = /^Serving (.*) at http/.exec(await command.firstLine)![1]!;
  assertEquals(existsSync(folder), true);
  process.kill(command.child.pid!, "SIGTERM");
  await until(() => !existsSync(folder));
  assertEquals(existsSync(folder), false, "the server goes, and takes its folder along");
});

const skip = runtimeName === "bun" ? "no permissions there" : !hasLinks;

/** Flags with which a process may read what it serves and its own code, and listen. */
const limits = (root: string) =>
  descriptors[runtimeName].runArguments([], { read: [root], net: ["127.0.0.1"] });

for (const api of ["web", "node"]) {
  test(`serve --api ${api} works in a process that may only read its root`, { skip }, async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-privilege-")));
    const root = join(base, "root");
    await mkdir(root);
    await mkdir(join(base, "outside"));
    const big = pattern(3 * 2 ** 20);
    const files = {
      "root/a.txt": "hello\n",
      "root/big.bin": big,
      "outside/secret.txt": "SECRET\n",
    };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(base, name), content);
      await utimes(join(base, name), 1e9, 1e9);
    }
    await symlink("../outside/secret.txt", join(root, "link.txt"));
    await symlink("../outside", join(root, "folder"));
    await symlink("a.txt", join(root, "inside.txt"));
    const flags = ["--root", root, "--port", "0", "--api", api];
    const command = start(flags, {}, [process.execPath, ...limits(root)]);
    try {
      const port = await portOf(command);
      const ask = async (target: string) => parseResponse(await rawRequest(port, get(target)));
      for (let round = 0; round < 2; round++) {
        for (const name of ["/a.txt", "/inside.txt"]) {
          assertEquals((await ask(name)).body.toString(), "hello\n", name);
        }
        const { status, body } = await ask("/big.bin");
        assertEquals([status, body.equals(big)], [200, true]);
      }
      for (const name of ["/link.txt", "/folder/secret.txt", "/folder/", "/nowhere"]) {
        assertEquals((await ask(name)).status, 404, name);
      }
      const list = await ask("/");
      const names = [...list.body.toString().matchAll(/href="\.\/([^"]+)"/g)].map(([, name]) =>
        name
      );
      assertEquals([list.status, names], [200, ["a.txt", "big.bin", "inside.txt"]]);
    } finally {
      command.child.kill("SIGKILL");
      await rm(base, { recursive: true });
    }
  });
}

const holdConnections = fileURLToPath(new URL("../files/_hold_connections.py", import.meta.url));

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
  for (let tries = 0; tries < 600; tries++) {
    const bytes = await rawRequest(port, get("/hello.txt"), { timeoutMs: 1000 }).catch(() =>
      undefined
    );
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
        const flags = ["--port", "0", "--api", api, "--root", root];
        const command = start(flags, { npm_command: "exec" }, underTask(`ulimit -n ${limit}; `));
        try {
          const port = await portOf(command);
          assert(await isAnswered(port), "before the clients");
          await whileHeld(
            port,
            limit + 100,
            () => new Promise((resolve) => setTimeout(resolve, whileHeldMs)),
          );
          assertEquals(command.child.exitCode, null, "the command goes on");
          assert(await isAnswered(port), "after the clients");
        } finally {
          // Its launcher's end is its own.
          command.child.kill("SIGKILL");
          await command.ended;
        }
      }));
  }
}

const record = {
  remoteAddress: "::1",
  method: "GET",
  target: "/a.txt",
  protocol: "HTTP/1.1",
  status: 206,
  sent: 12,
};
const now = new Date(Date.UTC(2026, 0, 5, 3, 4, 5));

test("a line of the log is in the common log format", () => {
  assertEquals(
    logLine(record, now),
    '::1 - - [05/Jan/2026:03:04:05 +0000] "GET /a.txt HTTP/1.1" 206 12',
  );
  assertEquals(logLine({ ...record, sent: 0 }, now).endsWith(" 206 -"), true);
});

test("what a client sends cannot end its field or line", () => {
  const target = '/a" 200 1\n127.0.0.1 \\ é\u{1f600}\x1b[31m';
  const escaped = "/a\\x22 200 1\\x0a127.0.0.1 \\x5c \\xc3\\xa9\\xf0\\x9f\\x98\\x80\\x1b[31m";
  assertEquals(
    logLine({ ...record, target }, now),
    `::1 - - [05/Jan/2026:03:04:05 +0000] "GET ${escaped} HTTP/1.1" 206 12`,
  );
});
