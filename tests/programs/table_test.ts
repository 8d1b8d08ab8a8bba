import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { countLines, recipes, rows, withTable } from "./_table.ts";

test("lines of code are neither blank ones, comments nor imports", () => {
  const code =
    'import {\n  a,\n} from "a";\n\n/** One\n * two */\nconst b = 1; // a remark\n// none\nb;\n';
  assertEquals(countLines(code), 2);
});

test("docs/recipes.md has the table of these programs, each shorter than before", async () => {
  const text = await readFile(recipes, "utf8");
  assertEquals(text, await withTable(text), "run tests/programs/write_table.ts");
  for (const { before, after } of rows) {
    const [long, short] = await Promise.all(
      [before, after].map(async (name) =>
        countLines(await readFile(new URL(name, import.meta.url), "utf8"))
      ),
    );
    assert(short! < long!, `${after}: ${short} lines, ${before}: ${long}`);
  }
});
