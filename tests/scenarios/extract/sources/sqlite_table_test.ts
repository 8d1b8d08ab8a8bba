import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import type { Selection } from "../../../../scenarios/extract/selection.ts";
import {
  extractDefaults,
  extractTableText,
  extractText,
  inFolder,
  memoryOutput,
  selectionOf,
} from "../_helpers.ts";

/** Gives the path of a file that `sql` has made to `use`. */
function withFile(sql: string, use: (path: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    await use(path);
  });
}

async function queryText(path: string, sql: string, more: Partial<Selection> = {}) {
  const source = await openSource(`sqlite:${path}`, selectionOf({ kind: "query", sql }, more));
  try {
    return await extractText(source);
  } finally {
    await source.close();
  }
}

const lines = (text: string) => text.split("\r\n").slice(0, -1);

test("values of every kind come out exactly: integers beyond 2^53, NULL, binary, real", () =>
  withFile(
    `CREATE TABLE t (v); INSERT INTO t VALUES
      (9007199254740993), (-9223372036854775808), (NULL), (''), (x'00ff'), (x''), (0.1), (1e300), (-0.0),
      (9e999), ('NULL'), ('"'), (1), ('1')`,
    async (path) => {
      const csv = await extractTableText(path, "t", {
        format: { format: "csv", nullText: "NULL" },
      });
      assertEquals(lines(csv), [
        ...[
          "v",
          "9007199254740993",
          "-9223372036854775808",
          "NULL",
          // A row of one empty text would be a blank line.
          '""',
          "AP8=",
          '""',
          "0.1",
          "1e+300",
        ],
        ...["-0", "Infinity", '"NULL"', '""""', "1", "1"],
      ]);
      const ndjson = await extractTableText(path, "t", { format: { format: "ndjson" } });
      assertEquals(ndjson.trimEnd().split("\n").map((line) => line.slice(5, -1)), [
        ...[
          "9007199254740993",
          "-9223372036854775808",
          "null",
          '""',
          '"AP8="',
          '""',
          "0.1",
          "1e+300",
        ],
        ...["-0.0", '"Infinity"', '"NULL"', '"\\""', "1", '"1"'],
      ]);
    },
  ));

const weird = ['a"b', "c d", "select", "e,f:g", "h\ni", "ü😀", "'; DROP TABLE x; --", "1", "rowid"];
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

test("names of tables and columns may be anything, and do no harm", () =>
  withFile(
    weird.map((table) =>
      `CREATE TABLE ${quoted(table)} (${weird.map(quoted).join(", ")}); ` +
      `INSERT INTO ${quoted(table)} VALUES (${weird.map((_, index) => index).join(", ")});`
    ).join("\n") + "CREATE TABLE x (y); INSERT INTO x VALUES (1);",
    async (path) => {
      for (const table of weird) {
        const text = await extractTableText(path, table, { format: { format: "ndjson" } });
        assertEquals(
          Object.entries(JSON.parse(text)).sort(),
          weird.map((name, index) => [name, index]).sort(),
        );
        const one = await extractTableText(path, table, {
          selection: {
            fields: [{ path: table, title: "x" }],
            orderBy: [{ path: table, isDescending: true }],
          },
        });
        assertEquals(lines(one), ["x", String(weird.indexOf(table))]);
      }
      assertEquals(lines(await extractTableText(path, "X")), ["y", "1"]);
    },
  ));

test("what is not there is refused with what there is", () =>
  withFile("CREATE TABLE a (b, c); CREATE VIEW v AS SELECT 1 AS one", async (path) => {
    const cases: [Selection["from"], Partial<Selection>, string][] = [
      [{ kind: "table", name: "z" }, {}, 'there is no table "z", but a, v'],
      [{ kind: "table", name: "a\0" }, {}, "there is no table"],
      [
        { kind: "table", name: "a" },
        { fields: [{ path: "d", title: "d" }] },
        'there is no column "d", but b, c',
      ],
      [
        { kind: "table", name: "a" },
        { orderBy: [{ path: "1", isDescending: false }] },
        "no column",
      ],
      [{ kind: "query", sql: "SELECT nix FROM a" }, {}, "no such column: nix"],
      [{ kind: "query", sql: "SELECT 1) SELECT 2 --" }, {}, "syntax error"],
      [{ kind: "query", sql: "SELECT 1; DELETE FROM a" }, {}, "syntax error"],
      [{ kind: "query", sql: "DELETE FROM a RETURNING b" }, {}, "syntax error"],
      [{ kind: "collection", name: "a" }, {}, "SQLite has tables, not collections"],
    ];
    for (const [from, more, message] of cases) {
      await assertRejects(
        async () => {
          const source = await openSource(`sqlite:${path}`, selectionOf(from, more));
          await source.close();
        },
        Error,
        message,
        JSON.stringify(from),
      );
    }
  }));

test("queries: equal names, a comment at the end, an order of their own, U+0000", () =>
  withFile(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, n); INSERT INTO a (n) VALUES (3), (1), (2), ('x' || char(0) || 'y')",
    async (path) => {
      assertEquals(
        lines(
          await queryText(path, "SELECT id, n, n AS id FROM a ORDER BY typeof(n), n DESC; -- by n"),
        ),
        ["id,n,id", "1,3,3", "3,2,2", "2,1,1", "4,x\0y,x\0y"],
      );
      assertEquals(
        lines(await queryText(path, "WITH b AS (SELECT n FROM a) SELECT n FROM b WHERE n = 1")),
        ["n", "1"],
      );
      assertEquals(lines(await queryText(path, "VALUES (1, 2), (3, 4)")), [
        "column1,column2",
        "1,2",
        "3,4",
      ]);
      assertEquals(
        lines(
          await queryText(path, "SELECT id, n FROM a", {
            orderBy: [{ path: "id", isDescending: true }],
          }),
        ),
        ["id,n", "4,x\0y", "3,2", "2,1", "1,3"],
      );
    },
  ));

const n1000 = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) ";

test("tables of any kind: empty, without rowid, views, generated columns, no key, threads", () =>
  withFile(
    `CREATE TABLE empty (a, b);
     CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
     INSERT INTO keyed VALUES ('b', 2), ('a', 1);
     CREATE VIEW seen AS SELECT v, k FROM keyed;
     CREATE TABLE made (a, b AS (a * 2) STORED, c AS (a + 1));
     INSERT INTO made (a) VALUES (1), (2);
     CREATE TABLE doubled (a); INSERT INTO doubled VALUES (1), (1), (1);
     CREATE TABLE shadows (rowid, oid, _rowid_); INSERT INTO shadows VALUES (3, 4, 5), (1, 2, 3);
     CREATE TABLE far (id INTEGER PRIMARY KEY); INSERT INTO far VALUES (-9223372036854775808), (9223372036854775807);
     CREATE TABLE many (id INTEGER PRIMARY KEY, t); ${n1000} INSERT INTO many SELECT i * 3, 'row ' || i FROM n;`,
    async (path) => {
      const all = async (table: string) => lines(await extractTableText(path, table));
      assertEquals(await all("empty"), ["a,b"]);
      assertEquals(await all("keyed"), ["k,v", "a,1", "b,2"]);
      assertEquals((await all("seen")).sort(), ["1,a", "2,b", "v,k"]);
      assertEquals(await all("made"), ["a,b,c", "1,2,2", "2,4,3"]);
      assertEquals(await all("doubled"), ["a", "1", "1", "1"]);
      assertEquals(await all("shadows"), ["rowid,oid,_rowid_", "3,4,5", "1,2,3"]);
      assertEquals(await all("far"), ["id", "-9223372036854775808", "9223372036854775807"]);
      const whole = await extractTableText(path, "many");
      assertEquals(lines(whole).length, 1001);
      for (const partitions of [2, 7]) {
        assertEquals(await extractTableText(path, "many", { partitions }), whole);
      }
      for (
        const [table, isCut] of [["many", true], ["keyed", false], ["far", false], [
          "empty",
          false,
        ]] as const
      ) {
        const source = await openSource(
          `sqlite:${path}`,
          selectionOf({ kind: "table", name: table }),
        );
        assertEquals(source.span !== undefined, isCut, table);
        await source.close();
      }
    },
  ));

const march = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 1) };

test("times of a period: milliseconds, seconds, text; what each cannot place is counted", () =>
  withFile(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, ms, s, text TEXT);
     INSERT INTO t VALUES
       (1, ${march.fromMs}, ${march.fromMs / 1000}, '2026-03-01'),
       (2, ${march.fromMs - 1}, ${march.fromMs / 1000 - 1}, '2026-02-28T23:59:59.999Z'),
       (3, ${march.toMs - 1}, ${march.toMs / 1000 - 1}, '2026-03-31 23:59:59.999'),
       (4, ${march.toMs}, ${march.toMs / 1000}, '2026-04-01T00:00:00+00:00'),
       (5, ${march.fromMs + 5}, ${march.fromMs / 1000 + 5}, '2026-04-01T01:00:00+02:00'),
       (6, ${march.fromMs / 1000 + 5}, ${march.fromMs + 5}, 'soon'),
       (7, NULL, NULL, NULL),
       (8, 9e999, 9e999, 'now'),
       (9, -9e999, -9e999, '12:00'),
       (10, 'x', x'00', '${march.fromMs / 86_400_000 + 2440587.5}')`,
    async (path) => {
      for (const field of ["ms", "s", "text"]) {
        const source = await openSource(
          `sqlite:${path}`,
          selectionOf({ kind: "table", name: "t" }, {
            fields: [{ path: "id", title: "id" }],
            time: { field, period: march },
          }),
        );
        for (const partitions of [1, 3]) {
          const output = memoryOutput();
          const { read, rows, skipped } = await extract({
            ...extractDefaults,
            ...{ source, output, partitions, onBadRow: "skip" },
          });
          assertEquals(lines(output.text()).slice(1), ["1", "5", "3"], field);
          assertEquals([read, rows], [8, 3], field);
          const reasons = skipped.map(({ reason, count }) => `${count}: ${reason}`).sort();
          const missing = `1: ${field} is NULL, so that it has no place in time`;
          const isMs = field === "ms";
          const expected = field === "text"
            ? [missing, `4: ${field} is no time as text, such as 2026-01-31T08:30:00Z`]
            : [
              missing,
              isMs
                ? "1: ms is text, not a number of milliseconds"
                : "1: s is binary, not a number of seconds",
              `1: ${field} looks like ${isMs ? "" : "milli"}seconds, not ${
                isMs ? "milli" : ""
              }seconds`,
              `2: ${field} is infinite, so that it has no place in time`,
            ];
          assertEquals(reasons, expected.sort(), field);
        }
        await source.close();
      }
    },
  ));

test("a value larger than it may be is never fetched, and its row is named", () =>
  withFile(
    "CREATE TABLE t (id INTEGER PRIMARY KEY, v); " +
      "INSERT INTO t VALUES (1, 'a'), (2, CAST(zeroblob(100001) AS TEXT)), (3, zeroblob(100001)), (4, zeroblob(100000))",
    async (path) => {
      const selection = { maxValueBytes: 100_000 };
      await assertRejects(
        () => extractTableText(path, "t", { selection }),
        Error,
        "row rowid=2: v is larger than --max-value; 0 rows were written",
      );
      const text = await extractTableText(path, "t", { selection, onBadRow: "skip" });
      assertEquals(lines(text).map((line) => line.slice(0, 2)), ["id", "1,", "4,"]);
    },
  ));

test("large texts and binary are written in parts, the same as small ones", () =>
  withFile(
    "CREATE TABLE t (v); INSERT INTO t VALUES " +
      "(replace(hex(zeroblob(750000)), '0', '\"ü,')), " +
      "(replace(hex(zeroblob(750000)), '0', 'x')), (zeroblob(300001)), ('end')",
    async (path) => {
      const expected = ['"ü,'.repeat(1_500_000), "x".repeat(1_500_000)];
      const csv = lines(await extractTableText(path, "t"));
      assert(csv[1] === `"${expected[0]!.replaceAll('"', '""')}"`);
      assert(csv[2] === expected[1]);
      assert(csv[3] === `${"A".repeat(400_002)}==`);
      assertEquals(csv.slice(4), ["end"]);
      const tsv = (await extractTableText(path, "t", { format: { format: "tsv" } })).split("\n");
      assert(tsv[1] === expected[0] && tsv[2] === expected[1]);
      const ndjson = (await extractTableText(path, "t", { format: { format: "ndjson" } })).split(
        "\n",
      );
      assert(JSON.parse(ndjson[0]!).v === expected[0] && JSON.parse(ndjson[1]!).v === expected[1]);
    },
  ));

test("a table of more columns than SQLite gives at a time is refused, with how many it would give", () => {
  const names = Array.from({ length: 1_990 }, (_, index) => `c${index}`);
  return withFile(
    `CREATE TABLE t (${names}); INSERT INTO t (c0, c1989) VALUES (1, 2)`,
    async (path) => {
      const open = (fields?: readonly string[]) =>
        openSource(
          `sqlite:${path}`,
          selectionOf(
            { kind: "table", name: "t" },
            fields === undefined
              ? {}
              : { fields: fields.map((name) => ({ path: name, title: name })) },
          ),
        );
      const error = await assertRejects(() => open());
      const [, most] = /has 1990 columns, more .*: choose (\d+) of them at most with --fields$/
        .exec((error as Error).message) ?? [];
      assert(Number(most) > 1_900, String(error));
      const source = await open(names.slice(-Number(most)));
      try {
        const [, row] = lines(await extractText(source));
        assertEquals(row, `${",".repeat(Number(most) - 1)}2`);
      } finally {
        await source.close();
      }
      await assertRejects(() => open(names.slice(-Number(most) - 1)), Error, "--fields");
    },
  );
});

test("a database of UTF-16 gives the same texts", () =>
  withFile(
    "PRAGMA encoding = 'UTF-16'; CREATE TABLE \"ü\" (v); INSERT INTO \"ü\" VALUES ('a😀' || char(0) || 'ü'), ('b'), (x'ff')",
    async (path) => {
      assertEquals(lines(await extractTableText(path, "ü")), ["v", "a😀\0ü", "b", "/w=="]);
    },
  ));
