import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { HelpRequest, UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import { chores, dev } from "../../scripts/dev.ts";
import { referenceFile } from "../enumeration/reference.ts";
import { startScript } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";

const root = new URL("../../", import.meta.url);
const { tasks } = JSON.parse(readFileSync(new URL("deno.json", root), "utf8"));
const signal = new AbortController().signal;

test("there are few tasks, and each chore is a script", () => {
  assert(Object.keys(tasks).length <= 12);
  for (const [name, { file = `${name.replaceAll("-", "_")}.ts` }] of Object.entries(chores)) {
    assert(existsSync(new URL(file, new URL("scripts/", root))), name);
  }
});

test("without a name the chores are listed, and a wrong one is answered with the right ones", async () => {
  const help = await assertRejects(() => dev([], signal), HelpRequest);
  const wrong = await assertRejects(() => dev(["constructor"], signal), UsageError);
  for (const name of Object.keys(chores)) {
    assert(help.message.includes(`  ${name} `) && wrong.message.includes(name), name);
  }
});

test("a chore gets the flags that follow its name, and its exit code is the command's", async () => {
  assertEquals(await dev(["compare", "--help"], signal), 0);
  assertEquals(await dev(["readme", "--nonsense"], signal), 2);
});

test("pages name no task and no chore that there is not", async () => {
  const docs = (await readdir(new URL("docs/", root), { recursive: true }))
    .filter((name) => name.endsWith(".md"));
  const pages = ["README.md", "CONTRIBUTING.md", "llms.txt", ...docs.map((name) => `docs/${name}`)];
  const unknown = await Promise.all(pages.map(async (page) => {
    const text = await readFile(new URL(page, root), "utf8");
    const named = text.matchAll(/deno(?:@[\d.]+)? task (?:-q )?([a-z][a-z:-]*)(?: ([a-z-]+))?/g);
    return Array.from(named).filter(([, task, chore]) =>
      task === "dev" ? !Object.hasOwn(chores, chore!) : !Object.hasOwn(tasks, task!)
    ).map(([all]) => `${page}: ${all}`);
  }));
  assertEquals(unknown.flat(), []);
});

test("workflows name each action by its commit, and the job that publishes each tool by its version", async () => {
  const folder = new URL(".github/workflows/", root);
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(new URL(name, folder), "utf8")),
  );
  for (const [, action] of texts.join("\n").matchAll(/uses: (\S+)/g)) {
    assertMatch(action!, /@[0-9a-f]{40}$/);
  }
  const publish = await readFile(new URL("publish.yml", folder), "utf8");
  const [, job] = publish.split("\n  publish:\n");
  const tools = [...job!.matchAll(/npx --yes \w+@(\S+)|node-version: (\S+)/g)];
  assertEquals(tools.length, 3);
  for (const [, tool, node] of tools) assertMatch(tool ?? node!, /^\d+\.\d+\.\d+$/);
});

const runtime = ["--runtime", thisRuntime.name];
const needsReference = referenceFile() === undefined && "REFERENCE_STREAMS is not set";

for (
  const [script, skip, whole, said, endless] of [
    [
      "enumerate",
      needsReference,
      ["--way", "fuse", "--stages", "1", "--deviations", "1"],
      /fuse/,
      ["--way", "fuse", "--stages", "1"],
    ],
    [
      "simulate",
      false,
      ["--runs", "1", "--seed", "7", "--history"],
      /^seed 7\n.* ms {2}outside +sent m0[^]*\n1 seeds, \d+ messages, \d+ kills, \d+ events\n$/,
      ["--runs", "1000000"],
    ],
  ] as const
) {
  test(
    `${script} says what it did; Ctrl-C says how far it was and exits 130`,
    { skip },
    async () => {
      const path = `scripts/${script}.ts`;
      const done = await startScript(path, [...whole, ...runtime]).ended;
      assertEquals(done.code, 0, done.stderr);
      assertMatch(done.stdout, said);
      const { child, ended } = startScript(path, [...endless, ...runtime]);
      // The first word of it on the way is a sign that it runs.
      await new Promise((resolve) => child.stderr!.once("data", resolve));
      // Not child.kill: under Deno that reports the signal even if the child handled it.
      process.kill(child.pid!, "SIGINT");
      const { code, stdout } = await ended;
      assertEquals(code, 130);
      assertMatch(stdout, /^[\d,]+ seeds, |schedules \(not all\)/);
    },
  );
}
