import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { cases, runCase } from "./_cases.ts";
import { libraries } from "./_libraries.ts";
import { page, withTables } from "./_tables.ts";

for (const { name: library, rows } of libraries) {
  for (const { theirs, ours, programs, differs, hangs } of rows) {
    if (programs === undefined) continue;
    for (const name of cases) {
      test(`${library}: ${theirs} is ${ours}, with ${name}`, async () => {
        const here = await runCase(programs.ours, name);
        assert(!here.isLeftOpen, "the source is closed in the end");
        if (hangs?.[name] !== undefined) return assert(here.ended.failure !== undefined);
        const there = await runCase(programs.theirs, name);
        const isSame = JSON.stringify(here.ended) === JSON.stringify(there.ended);
        if (differs?.[name] === undefined) assertEquals(here.ended, there.ended);
        else assert(!isSame, `no difference is left: ${differs[name]}`);
      });
    }
  }
}

test("the table has at least 60 rows, each with a counterpart or with what to do without one", () => {
  const rows = libraries.flatMap(({ rows }) => rows);
  assert(rows.length >= 60, String(rows.length));
});

test("docs/migrate.md has the table of these rows", async () => {
  const text = await readFile(page, "utf8");
  assertEquals(text, withTables(text), "run tests/migration/write_tables.ts");
});
