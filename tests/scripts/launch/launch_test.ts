import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals, assertMatch } from "@std/assert";
import process from "node:process";
import { currentRuntime, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { type Needs, project } from "../../../runtimes/descriptor.ts";
import { netNeeds } from "../../../scenarios/command_line/run_command.ts";
import { realPath } from "../../../scenarios/command_line/check_writable.ts";
import { chores } from "../../../scripts/dev.ts";
import { launched } from "../../../scripts/launch.ts";
import { hasLinks } from "../../files/fixture.ts";
import { parseResponse, rawRequest } from "../../files/raw_request.ts";
import { inFolder } from "../../lib/in_folder.ts";
import { startScript } from "../../lib/start_script.ts";
import { until } from "../../lib/until.ts";

const isWindows = process.platform === "win32" ? "no signals there" : false;

const launch = (args: readonly string[], folder: string = project) =>
  startScript("scripts/launch.ts", args, { INIT_CWD: folder, NO_COLOR: "1" }).ended;

/** Serves for as long as `use` takes; returns how it ended. */
async function serving(
  args: readonly string[],
  use: (port: number, child: ChildProcess) => Promise<void>,
  temporary = tmpdir(),
): Promise<number | null> {
  const flags = ["serve", "--port", "0", ...args];
  const { child, firstLine, ended } = startScript("scripts/launch.ts", flags, {
    TMPDIR: temporary,
  });
  try {
    await use(Number(/127\.0\.0\.1:(\d+)\//.exec(await firstLine)![1]), child);
  } finally {
    process.kill(child.pid!, "SIGTERM");
  }
  return (await ended).code;
}

const ask = async (port: number, target: string) =>
  parseResponse(
    await rawRequest(
      port,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    ),
  );

test("every command that is launched says what it needs, and so does its task", async () => {
  const { tasks } = JSON.parse(await readFile(join(project, "deno.json"), "utf8"));
  for (const [name, load] of Object.entries(launched)) {
    if (name in tasks) {
      assertMatch(tasks[name].command, new RegExp(` scripts/launch\\.ts ${name}$`));
    } else assertEquals(chores[name]?.isLaunched, true);
    assertEquals(typeof await load(), "function");
  }
});

test("a command line that is not understood is refused as by the command", async () => {
  const wrong = await launch(["serve", "--nothing"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  assertMatch(wrong.stderr, /--nothing/);
  const help = await launch(["compare", "--help"]);
  assertEquals(help.code, 0);
  assertMatch(help.stdout, /Usage: deno task dev compare/);
  for (const name of ["nothing", "constructor"]) {
    const { code, stderr } = await launch([name]);
    assertEquals(code, 2);
    assertMatch(stderr, /^The commands are compare, /);
  }
});

for (const runtime of runtimeNames) {
  for (const api of ["web", "node"]) {
    test(
      `serve, launched for ${runtime}, ${api}: serves its root, and ends with its launcher`,
      { skip: isWindows },
      () =>
        inFolder(async (base) => {
          const root = join(base, "a root");
          await mkdir(root);
          await writeFile(join(root, "a.txt"), "hello\n");
          await writeFile(join(base, "secret.txt"), "SECRET\n");
          let given = root;
          if (hasLinks) {
            await symlink("../secret.txt", join(root, "link.txt"));
            await symlink("a root", join(base, "named"));
            given = join(base, "named");
          }
          const flags = ["--root", given, "--runtime", runtime, "--api", api];
          const code = await serving(flags, async (port) => {
            const { status, body } = await ask(port, "/a.txt");
            assertEquals([status, body.toString()], [200, "hello\n"]);
            assertEquals((await ask(port, "/link.txt")).status, 404);
          });
          assertEquals(code, 143);
        }),
    );
  }
}

test(
  "serve, launched without a root, leaves nothing behind",
  { skip: isWindows },
  () =>
    inFolder(async (folder) => {
      await serving([], async (port) => {
        assertEquals((await ask(port, "/sample.bin")).body.length, 32 * 2 ** 20);
        assert((await readdir(folder)).length > 0, "its folder lies where it is looked for");
      }, folder);
      assertEquals(await readdir(folder), []);
    }),
);

test(
  "a server ends when its launcher was killed",
  { skip: isWindows },
  () =>
    inFolder(async (root) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await serving(["--root", root], async (port, child) => {
        child.kill("SIGKILL");
        await until(() => ask(port, "/").then(({ status }) => status === 0, () => true));
        assertEquals(await ask(port, "/").then(({ status }) => status, () => 0), 0);
        resolve();
      }).catch((error) => {
        // The launcher that is asked to end is gone.
        if ((error as { code?: string }).code !== "ESRCH") throw error;
      });
      await promise;
    }),
);

for (
  const [name, args, said] of [
    ["compare", ["bench/results/published.json", "bench/results/published.json"], /^0 faster, /m],
    ["queue", ["inspect", "--broker", "sqlite:q.sqlite", "--json"], /"waiting":0/],
    ["playground", ["--out", "site"], /index\.html/],
    ["site", ["--out", "public"], /index\.html/],
    ["demo", ["1", "--time-scale", "0", "--format", "jsonl"], /"event":"final"/],
  ] as const
) {
  test(`${name} works when it is launched`, () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, "q.sqlite"), "");
      const { stdout, stderr } = await launch(
        [name, ...args],
        name === "compare" ? undefined : folder,
      );
      assertMatch(stdout, said, stderr);
    }));
}

const { name } = currentRuntime();
const probe = fileURLToPath(new URL("_probe.ts", import.meta.url));
const skip = name === "bun" ? "no permissions there" : false;

test("a process may do what it needs, and nothing more", { skip }, async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-needs-")));
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const [inside, outside] = [join(base, "in"), join(base, "out")];
    for (const folder of [inside, outside]) {
      await mkdir(folder);
      await writeFile(join(folder, "a.txt"), "a");
    }
    const probed = async (folder: string, needs: Needs | undefined) => {
      const args = [join(folder, "a.txt"), join(folder, "b.txt"), String(port)];
      const command = [...descriptors[name].runArguments([], needs), probe, ...args];
      const { stdout } = await promisify(execFile)(process.execPath, command);
      return JSON.parse(stdout);
    };
    const all = { read: true, write: true, connect: true, run: true };
    const none = { read: false, write: false, connect: false, run: false };
    assertEquals(await probed(outside, undefined), all);
    assertEquals(await probed(outside, {}), none);
    assertEquals(await probed(inside, { read: [inside] }), { ...none, read: true });
    assertEquals(await probed(outside, { read: [inside] }), none);
    // What separates paths in Deno's list.
    const odd = join(inside, "a,b");
    await mkdir(odd);
    await writeFile(join(odd, "a.txt"), "a");
    assertEquals(await probed(odd, { read: [odd] }), { ...none, read: true });
    assertEquals(await probed(outside, { read: [odd] }), none);
    assertEquals(await probed(inside, { write: [inside] }), { ...none, read: true, write: true });
    assertEquals(await probed(outside, { write: [inside] }), none);
    const here = await netNeeds("127.0.0.1", port);
    assertEquals(await probed(outside, { net: here }), { ...none, connect: true });
    assertEquals(await probed(outside, { net: "any" }), { ...none, connect: true });
    assertEquals(await probed(outside, { run: [process.execPath] }), { ...none, run: true });
    // Node knows neither hosts nor programs.
    if (name === "deno") {
      const there = await netNeeds("127.0.0.1", port === 9 ? 10 : 9);
      assertEquals(await probed(outside, { net: there }), none);
      assertEquals(await probed(outside, { run: [join(inside, "a.txt")] }), none);
    }
  } finally {
    server.close();
    await rm(base, { recursive: true });
  }
});

test("a host is allowed as runtimes ask for it", async () => {
  assertEquals(await netNeeds("127.0.0.1", 8000), ["127.0.0.1:8000"]);
  assertEquals(await netNeeds("127.0.0.1", 0), ["127.0.0.1"]);
  assertEquals(await netNeeds("::1", 8000), ["[::1]:8000"]);
  assertEquals(await netNeeds("fe80::1%eth0", 8000), "any");
  assertEquals(await netNeeds("nowhere.invalid", 0), ["nowhere.invalid"]);
  const local = await netNeeds("localhost", 8000);
  assertEquals([local.includes("localhost"), local.includes("localhost:8000")], [true, true]);
});

test("a path is real as far as there is something", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-real-")));
  try {
    assertEquals(realPath(base), base);
    assertEquals(realPath(join(base, "a", "b")), join(base, "a", "b"));
  } finally {
    await rm(base, { recursive: true });
  }
});
