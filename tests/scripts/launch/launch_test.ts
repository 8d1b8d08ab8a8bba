import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { currentRuntime, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { project } from "../../../runtimes/descriptor.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { chores } from "../../../scripts/dev.ts";
import { launched } from "../../../scripts/launch.ts";
import { hasLinks } from "../../files/fixture.ts";
import { parseResponse, rawRequest } from "../../files/raw_request.ts";
import { until } from "../../lib/until.ts";
import { inFolder } from "../../lib/in_folder.ts";
import { startScript } from "../../lib/start_script.ts";

const { name: runtimeName } = currentRuntime();
const script = fileURLToPath(new URL("../../../scripts/launch.ts", import.meta.url));
const launchArguments = [...descriptors[runtimeName].runArguments(), script];
const isWindows = process.platform === "win32" ? "no signals there" : false;

const launch = (args: readonly string[], folder: string = project) =>
  startScript("scripts/launch.ts", args, { INIT_CWD: folder, NO_COLOR: "1" }).ended;

/** Serves for as long as `use` takes; returns how it ended. */
async function serving(
  args: readonly string[],
  use: (port: number, child: ChildProcess) => Promise<void>,
  temporary = tmpdir(),
): Promise<number | null> {
  const child = spawn(process.execPath, [...launchArguments, "serve", "--port", "0", ...args], {
    cwd: project,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const { value } = await createInterface({ input: child.stdout! })[Symbol.asyncIterator]().next();
  try {
    await use(Number(/127\.0\.0\.1:(\d+)\//.exec(value!)![1]), child);
  } finally {
    process.kill(child.pid!, "SIGTERM");
  }
  return await exited;
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
    ["compare", ["bench/results/reference.json", "bench/results/reference.json"], /^0 faster, /m],
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
