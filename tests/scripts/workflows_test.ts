import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";

const folder = new URL("../../.github/workflows/", import.meta.url);
const read = (name: string) => readFile(new URL(name, folder), "utf8");

test("workflows name each action by its commit, and the job that publishes each tool by its version", async () => {
  for (const name of await readdir(folder)) {
    for (const [, action] of (await read(name)).matchAll(/uses: (\S+)/g)) {
      assert(/@[0-9a-f]{40}$/.test(action!), `${name}: ${action}`);
    }
  }
  const publish = (await read("publish.yml")).split("\n  publish:\n")[1]!;
  const tools = [...publish.matchAll(/npx --yes \w+@(\S+)|node-version: (\S+)/g)];
  assertEquals(tools.length, 3);
  for (const [, tool, node] of tools) assert(/^\d+\.\d+\.\d+$/.test(tool ?? node!), tool ?? node);
});
