import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { postgresLines } from "../../../../scenarios/extract/sources/postgres_lines.ts";
import { postgresTypes } from "../../../../scenarios/extract/sources/postgres_value.ts";
import {
  extractDefaults,
  inPostgres,
  memoryOutput,
  postgresTest,
  selectionOf,
} from "../_helpers.ts";

const columnOf = (title: string, type: keyof typeof postgresTypes) => ({
  ...{ expression: `t.${title}`, title, type: postgresTypes[type] },
});
const columns = [columnOf("note", "text"), columnOf("id", "int4"), columnOf("is_paid", "bool")];
const options = {
  ...{ columns, keys: [columns[1]!], place: "t.id", maxValueBytes: 67_108_864, isSmall: true },
  ...{ isKeyed: false, fromWhere: "FROM t" },
};
const csv: FormatOptions = { format: "csv", titles: [] };

test("the server writes values as they are, where nothing has to be measured", () => {
  const lines = postgresLines(csv, options)!;
  assert(lines.statement.startsWith("COPY (SELECT t.note, t.id, t.is_paid FROM t) TO STDOUT"));
  assertEquals([lines.isHeaded, lines.placeIndex], [false, 1]);
});

test("a first field says what is too large, or where a row lies that no other field says", () => {
  const measured = postgresLines(csv, { ...options, isSmall: false })!;
  assert(measured.statement.includes("octet_length(t.note::text) > 67108864"));
  assertEquals([measured.isHeaded, measured.placeIndex], [true, undefined]);
  assertEquals(postgresLines(csv, { ...options, place: "t.other" })!.isHeaded, true);
  assertEquals(postgresLines(csv, { ...options, place: undefined })!.isHeaded, false);
});

test("the key of a row is found in its line, if it is there as the server has it", () => {
  assertEquals(postgresLines(csv, { ...options, isKeyed: true })!.keyIndexes, [1]);
  const keys = [columns[0]!, columns[1]!];
  assertEquals(postgresLines(csv, { ...options, keys, isKeyed: true })!.keyIndexes, [0, 1]);
  const changed = { ...csv, escapeFormulas: true };
  assertEquals(postgresLines(changed, { ...options, keys, isKeyed: true }), undefined);
  assertEquals(postgresLines(csv, { ...options, keys: [columns[2]!], isKeyed: true }), undefined);
  assertEquals(
    postgresLines(csv, { ...options, columns: columns.slice(2), isKeyed: true }),
    undefined,
  );
  const bytes = columnOf("bytes", "bytea");
  assertEquals(
    postgresLines(csv, { ...options, columns: [...columns, bytes], keys: [bytes], isKeyed: true }),
    undefined,
  );
  assertEquals(postgresLines({ ...csv, format: "tsv" }, { ...options, isKeyed: true }), undefined);
});

test("lines whose quotes the server would set otherwise are not left to it", () => {
  const odd: readonly Partial<FormatOptions>[] = [
    { delimiter: "'" },
    { delimiter: ":" },
    { nullText: "-" },
    { nullText: "'=" },
  ];
  for (const one of odd) {
    assertEquals(postgresLines({ ...csv, ...one, escapeFormulas: true }, options), undefined);
    assert(postgresLines({ ...csv, ...one }, options) !== undefined);
  }
});

postgresTest("a value is measured where a table has ever had a large one", async (address) => {
  await inPostgres(
    address,
    `CREATE TABLE t (id int PRIMARY KEY, v text);
     INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 100) i;
     CREATE TABLE u (LIKE t);
     INSERT INTO u SELECT i, repeat('v', 500000 * i) FROM generate_series(1, 8) i;
     CREATE TABLE both_of (LIKE t); CREATE TABLE child () INHERITS (both_of);
     INSERT INTO child SELECT 1, string_agg(md5(i::text), '') FROM generate_series(1, 100000) i`,
  );
  for (const [name, rows, skipped] of [["t", 100, 0], ["u", 6, 2], ["both_of", 0, 1]] as const) {
    const selection = selectionOf({ kind: "table", name }, { maxValueBytes: 3_000_000 });
    const source = await openSource(address, selection);
    const progress: (number | undefined)[] = [];
    const result = await extract({
      ...extractDefaults,
      ...{ source, output: memoryOutput(), onBadRow: "skip" },
      onProgress: (_rows, _bytes, at) => void progress.push(at),
    });
    await source.close();
    assertEquals([result.rows, result.skipped[0]?.count ?? 0], [rows, skipped], name);
    if (name === "t") assertEquals(progress.at(-1), 100);
  }
});
