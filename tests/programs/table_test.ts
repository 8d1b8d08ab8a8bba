import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";

/** Lines of code: neither blank ones, comments nor imports. */
function countLines(code: string): number {
  const bare = code.replace(/^import [^]*?;\n/gm, "").replace(/^\s*\/\*\*[^]*?\*\/\n/gm, "");
  return bare.split("\n").filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

test("docs/recipes.md counts the lines of these programs, each shorter than before", async () => {
  const page = await readFile(new URL("../../docs/recipes.md", import.meta.url), "utf8");
  const [, table] = /<!-- programs -->\n([^]*)\n<!-- \/programs -->/.exec(page)!;
  const counts = [...table!.matchAll(/\[(\d+)\]\(\.\.\/tests\/programs\/(\w+\.ts)\)/g)];
  assertEquals(counts.length, 16);
  const found = await Promise.all(
    counts.map(async ([, , name]) =>
      countLines(await readFile(new URL(name!, import.meta.url), "utf8"))
    ),
  );
  assertEquals(counts.map(([, count]) => Number(count)), found, `${counts}`);
  for (let at = 0; at < found.length; at += 2) assert(found[at + 1]! < found[at]!, counts[at]![2]);
});
