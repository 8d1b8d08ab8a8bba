import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import type { Selection } from "../../../../scenarios/extract/selection.ts";
import {
  extractDefaults,
  extractText,
  inPostgres,
  memoryOutput,
  openConversations,
  postgresTest,
  selectionOf,
} from "../_helpers.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../../scenarios/extract/seed/command.ts";
import { withProxy } from "./_proxy.ts";
import { until } from "../../../lib/until.ts";

const lines = (text: string) => text.split("\r\n").slice(0, -1);

async function textOf(
  address: string,
  from: Selection["from"],
  options: Parameters<typeof extractText>[1] & { readonly selection?: Partial<Selection> } = {},
): Promise<string> {
  const { selection, ...more } = options;
  const source = await openSource(address, selectionOf(from, selection));
  try {
    return await extractText(source, more);
  } finally {
    await source.close();
    assertEquals(source.openCursors, 0);
  }
}

const table = (name: string) => ({ kind: "table", name }) as const;

/** What a value of each type is in CSV and in NDJSON. */
const values = [
  ["9223372036854775807::bigint", "9223372036854775807"],
  ["123456789012345678901234567890.12345::numeric", "123456789012345678901234567890.12345"],
  ["'NaN'::numeric", "NaN", '"NaN"'],
  ["0.1::float8", "0.1"],
  ["'-Infinity'::float8", "-Infinity", '"-Infinity"'],
  ["true", "true"],
  ["false", "false"],
  ["NULL::int", "", "null"],
  ["''::text", '""', '""'],
  ["E'a\\tü😀'::text", "a\tü😀", '"a\\tü😀"'],
  [`'{"a": [1.50, null]}'::json`, '"{""a"": [1.50, null]}"', '{"a": [1.50, null]}'],
  [`'{"b": 1, "a": "x"}'::jsonb`, '"{""a"": ""x"", ""b"": 1}"', '{"a": "x", "b": 1}'],
  ["'\\x00ff'::bytea", "AP8=", '"AP8="'],
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
] as const;

postgresTest("values of every type come out exactly", async (address) => {
  for (const [sql, csv, json = csv] of values) {
    const from = { kind: "query", sql: `SELECT ${sql} AS v, 1 AS w` } as const;
    assertEquals(lines(await textOf(address, from)), ["v,w", `${csv},1`], sql);
    const ndjson = await textOf(address, from, { format: { format: "ndjson" } });
    assertEquals(ndjson, `{"v":${json === null ? JSON.stringify(csv) : json},"w":1}\n`, sql);
  }
});

const weird = [
  'a"b',
  "c d",
  "select",
  "e,f:g",
  "h\ni",
  "ü😀",
  "'; DROP TABLE x; --",
  "1",
  "a.b",
  "A",
];
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

postgresTest("names of tables and columns may be anything, and do no harm", async (address) => {
  await inPostgres(
    address,
    weird.map((name) =>
      `CREATE TABLE ${quoted(name)} (${weird.map((one) => `${quoted(one)} int`).join(", ")}); ` +
      `INSERT INTO ${quoted(name)} VALUES (${weird.map((_, index) => index).join(", ")});`
    ).join("\n") +
      'CREATE TABLE x (y int); CREATE SCHEMA "s t"; CREATE TABLE "s t".u AS SELECT 5 AS v',
  );
  for (const name of weird) {
    const text = await textOf(address, table(name), { format: { format: "ndjson" } });
    assertEquals(JSON.parse(text), Object.fromEntries(weird.map((one, index) => [one, index])));
  }
  assertEquals(lines(await textOf(address, table("x"))), ["y"]);
  assertEquals(lines(await textOf(address, table("s t.u"))), ["v", "5"]);
});

postgresTest(
  "what is not there is refused with what there is; nothing is changed",
  async (address) => {
    await inPostgres(address, "CREATE TABLE a (b int, c int); CREATE VIEW v AS SELECT 1 AS one");
    const cases: [Selection["from"], Partial<Selection>, string][] = [
      [table("z"), {}, 'there is no table "z", but a, v'],
      [table("a"), { fields: [{ path: "d", title: "d" }] }, 'there is no column "d", but b, c'],
      [table("a"), { time: { field: "b", period: { fromMs: 0, toMs: 1 }, unit: "text" } }, ""],
      [{ kind: "query", sql: "SELECT 1; DROP TABLE a" }, {}, "multiple commands"],
      [{ kind: "query", sql: "SELECT 1) AS q; DROP TABLE a; --" }, {}, "syntax error"],
      [{ kind: "query", sql: "DELETE FROM a RETURNING b" }, {}, "syntax error"],
      [{ kind: "query", sql: "SELECT nix FROM a" }, {}, 'column "nix" does not exist'],
      [{ kind: "collection", name: "a" }, {}, "PostgreSQL has tables, not collections"],
    ];
    for (const [from, more, message] of cases) {
      if (message === "") continue;
      await assertRejects(
        async () => void await (await openSource(address, selectionOf(from, more))).close(),
        Error,
        message,
      );
    }
    const writing = { kind: "query", sql: "SELECT setval('s', 5)" } as const;
    await inPostgres(address, "CREATE SEQUENCE s");
    await assertRejects(() => textOf(address, writing), Error, "read-only transaction");
    assertEquals(lines(await textOf(address, table("a"))), ["b,c"]);
  },
);

postgresTest(
  "views, partitions by a key, equal rows, no key, queries of equal names",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE many (id int PRIMARY KEY, t text);
     INSERT INTO many SELECT i * 3 - 900, 'row ' || i FROM generate_series(1, 1000) i;
     CREATE TABLE doubled (a int); INSERT INTO doubled VALUES (1), (1), (1);
     CREATE TABLE pair (a int, b int, PRIMARY KEY (b, a)); INSERT INTO pair VALUES (1, 2), (3, 1), (0, 2);
     CREATE VIEW seen AS SELECT count(*) AS n FROM many;
     CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
     CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (5);
     CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (5) TO (10);
     INSERT INTO parted SELECT generate_series(0, 9);`,
    );
    const whole = await textOf(address, table("many"));
    assertEquals(lines(whole).length, 1001);
    for (const partitions of [2, 7]) {
      assertEquals(await textOf(address, table("many"), { partitions, batchSize: 16 }), whole);
    }
    assertEquals(lines(await textOf(address, table("doubled"))), ["a", "1", "1", "1"]);
    assertEquals(lines(await textOf(address, table("pair"))), ["a,b", "3,1", "0,2", "1,2"]);
    assertEquals(lines(await textOf(address, table("seen"))), ["n", "1000"]);
    const parted = ["id", ...Array.from({ length: 10 }, (_, index) => String(index))];
    assertEquals(lines(await textOf(address, table("parted"), { partitions: 3 })), parted);
    assertEquals(
      lines(await textOf(address, { kind: "query", sql: "SELECT 1 AS a, 2 AS a; -- twice" })),
      ["a,a", "1,2"],
    );
    const falling = { orderBy: [{ path: "id", isDescending: true }] };
    assertEquals(
      lines(await textOf(address, table("many"), { selection: falling }))[1],
      "2100,row 1000",
    );
  },
);

const march = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 1) };

postgresTest("times of a period in every type; what has no place is counted", async (address) => {
  await inPostgres(
    address,
    `CREATE TABLE t (id int PRIMARY KEY, tz timestamptz, ts timestamp, d date, ms bigint, s float8);
     INSERT INTO t VALUES
       (1, '2026-03-01Z', '2026-03-01', '2026-03-01', ${march.fromMs}, ${march.fromMs / 1000}),
       (2, '2026-02-28 23:59:59.999Z', '2026-02-28 23:59:59.999', '2026-02-28', ${march.fromMs - 1},
         ${march.fromMs / 1000 - 0.001}),
       (3, '2026-03-31 23:59:59.999Z', '2026-03-31 23:59:59.999', '2026-03-31', ${march.toMs - 1},
         ${march.toMs / 1000 - 0.001}),
       (4, '2026-04-01Z', '2026-04-01', '2026-04-01', ${march.toMs}, ${march.toMs / 1000}),
       (5, NULL, NULL, NULL, NULL, NULL),
       (6, 'infinity', '-infinity', 'infinity', ${march.fromMs / 1000}, 'infinity')`,
  );
  for (const field of ["tz", "ts", "d", "ms", "s"]) {
    const source = await openSource(
      address,
      selectionOf(table("t"), {
        ...{ fields: [{ path: "id", title: "id" }], time: { field, period: march } },
      }),
    );
    assertMatch((await source.warnings())[0]!, /CREATE INDEX ON "t" \("\w+"\);$/);
    for (const partitions of [1, 3]) {
      const output = memoryOutput();
      const { read, rows, skipped } = await extract({
        ...extractDefaults,
        ...{ source, output, partitions, onBadRow: "skip" },
      });
      assertEquals(lines(output.text()), ["id", "1", "3"], field);
      assertEquals([read, rows, skipped.length], [4, 2, 2], field);
    }
    await assertRejects(
      () => extractText(source),
      Error,
      `row id=5: ${field} is NULL, so that it has no place in time; 0 rows were written`,
    );
    await source.close();
  }
});

postgresTest("numbers that are none, or without an end, are no times", async (address) => {
  await inPostgres(
    address,
    `CREATE TABLE t (id int PRIMARY KEY, f float8, n numeric);
     INSERT INTO t VALUES (1, ${march.fromMs}, ${march.fromMs}), (2, 'NaN', 'NaN'),
       (3, 'Infinity', 'Infinity'), (4, '-Infinity', '-Infinity'), (5, 1e300, 1${"0".repeat(400)})`,
  );
  for (const field of ["f", "n"]) {
    const selection = selectionOf(table("t"), { time: { field, period: march, unit: "ms" } });
    const source = await openSource(address, selection);
    const output = memoryOutput();
    const { read, rows, skipped } = await extract({
      ...extractDefaults,
      ...{ source, output, onBadRow: "skip" },
    });
    assertEquals([read, rows], [4, 1], field);
    assertEquals(
      skipped.map(({ reason, count }) => `${count}: ${reason}`),
      [
        `1: ${field} is text, not a number of milliseconds`,
        `2: ${field} is infinite, so that it has no place in time`,
      ],
    );
    await source.close();
  }
});

postgresTest("all parts see the database as it was when it was opened", async (address) => {
  await inPostgres(
    address,
    "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 100)",
  );
  const source = await openSource(address, selectionOf(table("t")));
  await inPostgres(address, "DELETE FROM t");
  for (const partitions of [1, 4, 1]) {
    assertEquals(lines(await extractText(source, { partitions })).length, 101);
  }
  await source.close();
});

postgresTest(
  "large values are bounded: fewer rows at a time, and none larger than it may be",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE t (id int PRIMARY KEY, v text);
     INSERT INTO t SELECT i, repeat('x"y,', 250000 * (i % 2)) FROM generate_series(1, 30) i;
     CREATE TABLE big (id int PRIMARY KEY, v text, b bytea);
     INSERT INTO big VALUES (1, repeat('ü', 60000), NULL), (2, 'a', repeat('b', 100001)::bytea), (3, 'c', NULL)`,
    );
    const text = await textOf(address, table("t"), { batchSize: 500 });
    const large = `"${'x""y,'.repeat(250_000)}"`;
    const expected = Array.from(
      { length: 30 },
      (_, index) => `${index + 1},${index % 2 === 0 ? large : '""'}\r\n`,
    );
    assert(text === `id,v\r\n${expected.join("")}`);
    const skipped = await textOf(address, table("big"), {
      ...{ selection: { maxValueBytes: 100_000 }, onBadRow: "skip" },
    });
    assertEquals(lines(skipped), ["id,v,b", "3,c,"]);
    await assertRejects(
      () => textOf(address, table("big"), { selection: { maxValueBytes: 100_000 } }),
      Error,
      "row id=1: v is larger than --max-value; 0 rows were written",
    );
  },
);

postgresTest(
  "a lost connection is a failure that says how many rows were written",
  async (address) => {
    await seedSource(address, seedContacts({ contacts: 100, days: 30, seed: 1 }));
    await withProxy(address, async (proxy) => {
      const source = await openConversations(proxy.address);
      const output = memoryOutput();
      const onProgress = (rows: number) => void (rows > 100 && proxy.cutAfter(1));
      const error = await assertRejects(
        () => extract({ ...extractDefaults, source, output, batchSize: 16, onProgress }),
        Error,
        "rows were written",
      );
      assertMatch(error.message, /^Cannot read postgres:\/\/\*\*\*@127\.0\.0\.1:\d+\/\w+: /);
      await source.close();
      assertEquals([source.openCursors, output.state], [0, "discarded"]);
      await until(() => proxy.open === 0);
    });
  },
);

test("a server that is not there is named without its password", async () => {
  const { message } = await assertRejects(
    () => openSource("postgres://ada:secret@127.0.0.1:1/chat", selectionOf(table("t"))),
    Error,
  );
  assertMatch(message, /^Cannot open postgres:\/\/\*\*\*@127\.0\.0\.1:1\/chat: .*ECONNREFUSED/);
  assert(!/secret|ada/.test(message));
});
