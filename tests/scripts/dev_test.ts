import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { HelpRequest } from "../../scenarios/command_line/help_request.ts";
import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { chores, dev } from "../../scripts/dev.ts";

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
