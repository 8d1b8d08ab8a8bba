import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import type { Selection } from "../../../../scenarios/extract/source.ts";
import {
  csvLines,
  type DatabaseName,
  extractText,
  fieldsOf,
  fromTable,
  inSql,
  march,
  openTable,
  resultOf,
  selectionOf,
  sqlTest,
  textOf,
} from "../_helpers.ts";

/** What a value is in CSV and in NDJSON; `null` is its text. */
type Shown = readonly [sql: string, csv: string, json?: string | null];

const values: Readonly<Record<DatabaseName, readonly Shown[]>> = {
  SQLite: [
    ["9007199254740993", "9007199254740993"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["NULL", "", "null"],
    ["''", '""', '""'],
    ["x'00ff'", "AP8=", null],
    ["x''", '""', '""'],
    ["0.1", "0.1"],
    ["1e300", "1e+300"],
    ["-0.0", "-0", "-0.0"],
    ["9e999", "Infinity", null],
    ["'NULL'", "NULL", null],
    [`'"'`, '""""', '"\\""'],
    ["'1'", "1", null],
  ],
  PostgreSQL: [
    ["9223372036854775807::bigint", "9223372036854775807"],
    ["123456789012345678901234567890.12345::numeric", "123456789012345678901234567890.12345"],
    ["'NaN'::numeric", "NaN", null],
    ["0.1::float8", "0.1"],
    ["'-Infinity'::float8", "-Infinity", null],
    ["true", "true"],
    ["false", "false"],
    ["NULL::int", "", "null"],
    ["''::text", '""', '""'],
    ["E'a\\tü😀'::text", "a\tü😀", null],
    [`'{"a": [1.50, null]}'::json`, '"{""a"": [1.50, null]}"', '{"a": [1.50, null]}'],
    [`'{"b": 1, "a": "x"}'::jsonb`, '"{""a"": ""x"", ""b"": 1}"', '{"a": "x", "b": 1}'],
    ["'\\x00ff'::bytea", "AP8=", null],
    ["'2026-01-31 08:30:00.123456+02'::timestamptz", "2026-01-31T06:30:00.123456Z", null],
    ["'2026-01-31 08:30:00'::timestamp", "2026-01-31T08:30:00", null],
    ["'infinity'::timestamptz", "infinity", null],
    ["'2026-01-31'::date", "2026-01-31", null],
    ["'0044-03-15 BC'::date", "0044-03-15 BC", null],
    ["'1 day 2 hours'::interval", "P1DT2H", null],
    ["ARRAY[1,NULL,3]", '"{1,NULL,3}"', '"{1,NULL,3}"'],
    ['\'{"a,b","c"}\'::text[]', '"{""a,b"",c}"', '"{\\"a,b\\",c}"'],
    ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", null],
    ["'ab'::char(4)", "ab  ", null],
  ],
};

sqlTest("values of every type come out exactly", "", async (address, database) => {
  for (const [sql, csv, json = csv] of values[database]) {
    const from = { kind: "query", sql: `SELECT ${sql} AS v, 1 AS w` } as const;
    assertEquals(csvLines(await textOf(address, from)), ["v,w", `${csv},1`], sql);
    const ndjson = await textOf(address, from, { format: { format: "ndjson" } });
    assertEquals(ndjson, `{"v":${json === null ? JSON.stringify(csv) : json},"w":1}\n`, sql);
  }
});

const weird = [
  ...['a"b', "c d", "select", "e,f:g", "h\ni", "ü😀", "'; DROP TABLE x; --", "1", "a.b", "A"],
  "rowid",
];
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

sqlTest(
  "names of tables and columns may be anything, and do no harm",
  weird.map((name) =>
    `CREATE TABLE ${quoted(name)} (${weird.map((one) => `${quoted(one)} int`)}); ` +
    `INSERT INTO ${quoted(name)} VALUES (${weird.map((_, index) => index)});`
  ).join("\n") + "CREATE TABLE x (y int); INSERT INTO x VALUES (1);",
  async (address, database) => {
    for (const [index, name] of weird.entries()) {
      const text = await textOf(address, fromTable(name), { format: { format: "ndjson" } });
      assertEquals(JSON.parse(text), Object.fromEntries(weird.map((one, index) => [one, index])));
      const selection = {
        fields: [{ path: name, title: "x" }],
        orderBy: [{ path: name, isDescending: true }],
      };
      const one = await textOf(address, fromTable(name), { selection });
      assertEquals(csvLines(one), ["x", String(index)]);
    }
    if (database === "PostgreSQL") {
      await inSql(address, 'CREATE SCHEMA "s t"; CREATE TABLE "s t".u AS SELECT 1 AS y');
    }
    for (const name of ["x", database === "SQLite" ? "X" : "s t.u"]) {
      assertEquals(csvLines(await textOf(address, fromTable(name))), ["y", "1"]);
    }
  },
);

sqlTest(
  "what is not there is refused with what there is; nothing is changed",
  "CREATE TABLE a (b int, c int); CREATE VIEW v AS SELECT 1 AS one",
  async (address, database) => {
    const from = fromTable("a");
    const query = (sql: string) => ({ kind: "query", sql }) as const;
    const time = { field: "b", period: march };
    const cases: [Selection["from"], Partial<Selection>, RegExp][] = [
      [fromTable("z"), {}, /there is no table "z", but a, v$/],
      [from, { fields: fieldsOf("d") }, /there is no column "d", but b, c$/],
      [from, { orderBy: [{ path: "1", isDescending: false }] }, /no column/],
      [from, { time: { ...time, field: "e" } }, /no column "e"/],
      [query("SELECT 1; DROP TABLE a"), {}, /syntax error|multiple commands/],
      [query("SELECT 1) AS q; DROP TABLE a; --"), {}, /syntax error/],
      [query("SELECT 1) SELECT 2 --"), {}, /syntax error/],
      [query("DELETE FROM a RETURNING b"), {}, /syntax error/],
      [query("SELECT nix FROM a"), {}, /no such column: nix|column "nix" does not exist/],
      [{ kind: "collection", name: "a" }, {}, new RegExp(`${database} has tables, not`)],
    ];
    if (database === "SQLite") cases.push([fromTable("a\0"), {}, /there is no table/]);
    for (const [from, more, message] of cases) {
      const open = async () => await (await openSource(address, selectionOf(from, more))).close();
      assertMatch((await assertRejects(open, Error, "", JSON.stringify(from))).message, message);
    }
    if (database === "PostgreSQL") {
      await inSql(address, "CREATE SEQUENCE s");
      const writing = textOf(address, query("SELECT setval('s', 5)"));
      await assertRejects(() => writing, Error, "read-only transaction");
    }
    assertEquals(csvLines(await textOf(address, from)), ["b,c"]);
  },
);

const noPlace = "so that it has no place in time";
/** What is read by a field, and why other rows are not. */
type Timed = [field: string, ids: string[], reasons: string[]];

const timed: Readonly<Record<DatabaseName, readonly Timed[]>> = {
  SQLite: [
    ["ms", ["1", "5", "3"], [
      "1: ms is text, not a number of milliseconds",
      "1: ms looks like seconds, not milliseconds",
      `2: ms is infinite, ${noPlace}`,
    ]],
    ["s", ["1", "5", "3"], [
      "1: s is binary, not a number of seconds",
      "1: s looks like milliseconds, not seconds",
      `2: s is infinite, ${noPlace}`,
    ]],
    ["text", ["1", "5", "3"], ["4: text is no time as text, such as 2026-01-31T08:30:00Z"]],
  ],
  PostgreSQL: [
    ...["tz", "ts", "d", "s"].map((field): Timed => [
      field,
      ["1", "3"],
      [`1: ${field} is infinite, ${noPlace}`],
    ]),
    ["ms", ["1", "3"], ["1: ms looks like seconds, not milliseconds"]],
  ],
};

sqlTest(
  "times of a period in every type; what has no place is counted",
  {
    SQLite: `CREATE TABLE t (id INTEGER PRIMARY KEY, ms, s, text TEXT);
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
    PostgreSQL: `
     CREATE TABLE t (id int PRIMARY KEY, tz timestamptz, ts timestamp, d date, ms bigint, s float8);
     INSERT INTO t VALUES
       (1, '2026-03-01Z', '2026-03-01', '2026-03-01', ${march.fromMs}, ${march.fromMs / 1000}),
       (2, '2026-02-28 23:59:59.999Z', '2026-02-28 23:59:59.999', '2026-02-28', ${march.fromMs - 1},
         ${march.fromMs / 1000 - 0.001}),
       (3, '2026-03-31 23:59:59.999Z', '2026-03-31 23:59:59.999', '2026-03-31', ${march.toMs - 1},
         ${march.toMs / 1000 - 0.001}),
       (4, '2026-04-01Z', '2026-04-01', '2026-04-01', ${march.toMs}, ${march.toMs / 1000}),
       (5, NULL, NULL, NULL, NULL, NULL),
       (6, 'infinity', '-infinity', 'infinity', ${march.fromMs / 1000}, 'infinity')`,
  },
  async (address, database) => {
    for (const [field, ids, reasons] of timed[database]) {
      const selection = { fields: fieldsOf("id"), time: { field, period: march } };
      await using source = await openTable(address, "t", selection);
      const [warning] = await source.warnings();
      assertMatch(warning!, /CREATE INDEX .*ON "t" \("?\w+"?\);$|milliseconds would not need it$/);
      for (const partitions of [1, 3]) {
        const { read, rows, skipped, ...result } = await resultOf(source, {
          ...{ partitions, onBadRow: "skip" },
        });
        assertEquals(csvLines(result.text), ["id", ...ids], field);
        assertEquals(result.reasons, [`1: ${field} is NULL, ${noPlace}`, ...reasons].sort());
        assertEquals([read - rows, rows], [
          skipped.reduce((sum, { count }) => sum + count, 0),
          ids.length,
        ]);
      }
      const { message } = await assertRejects(() => extractText(source), Error);
      assertMatch(message, new RegExp(`: row (?:row)?id=\\d+: ${field} .*; 0 rows were written$`));
    }
  },
);

sqlTest(
  "a value larger than it may be is never fetched, and its row is named",
  {
    SQLite: `CREATE TABLE big (id INTEGER PRIMARY KEY, v TEXT, b BLOB);
     INSERT INTO big VALUES (1, CAST(zeroblob(100001) AS TEXT), NULL), (2, 'a', zeroblob(100001)),
       (3, 'c', NULL), (4, NULL, zeroblob(100000))`,
    PostgreSQL: `CREATE TABLE big (id int PRIMARY KEY, v text, b bytea);
     INSERT INTO big VALUES (1, repeat('ü', 60000), NULL), (2, 'a', repeat('b', 100001)::bytea),
       (3, 'c', NULL), (4, NULL, repeat('b', 100000)::bytea)`,
  },
  async (address) => {
    const selection = { maxValueBytes: 100_000, fields: fieldsOf("v", "b", "id") };
    const { message } = await assertRejects(
      () => textOf(address, fromTable("big"), { selection }),
      Error,
    );
    assertMatch(message, /: row (?:row)?id=1: v is larger than --max-value; 0 rows were written$/);
    const text = await textOf(address, fromTable("big"), { selection, onBadRow: "skip" });
    assertEquals(csvLines(text).map((line) => line.slice(-3)), [",id", ",,3", "=,4"]);
  },
);

const n100 = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) " +
  "INSERT INTO t SELECT i FROM n";

sqlTest(
  "all cursors see the database as it was when it was opened",
  {
    SQLite: `PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY); ${n100}`,
    PostgreSQL: `CREATE TABLE t (id int PRIMARY KEY); ${n100}`,
  },
  async (address) => {
    await using source = await openTable(address, "t");
    await inSql(address, "DELETE FROM t");
    for (const partitions of [1, 4, 1]) {
      assertEquals((await resultOf(source, { partitions })).rows, 100);
    }
  },
);
