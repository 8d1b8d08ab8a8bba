import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { extract } from "../../../../scenarios/extract/extract.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import type { Selection } from "../../../../scenarios/extract/source.ts";
import { postgresLines } from "../../../../scenarios/extract/sources/postgres.ts";
import { postgresTypes } from "../../../../scenarios/extract/sources/postgres_value.ts";
import { Random } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { draws, firstSeedOf } from "../../../lib/thorough.ts";
import {
  assertGives,
  csvLines,
  extractDefaults,
  failureOf,
  fieldsOf,
  fromTable,
  inPostgres,
  march,
  memoryOutput,
  openTable,
  outcomeOf,
  postgresTest,
  resultOf,
  selectionOf,
  textOf,
} from "../_helpers.ts";

const uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";

postgresTest(
  "views, partitions by a key, equal rows, no key, queries of equal names",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE many (id int PRIMARY KEY, t text);
     INSERT INTO many SELECT i * 3 - 900, 'row ' || i FROM generate_series(1, 1000) i;
     CREATE TABLE doubled (a int); INSERT INTO doubled VALUES (1), (1), (1);
     CREATE TABLE pair (a int, b int, PRIMARY KEY (b, a)); INSERT INTO pair VALUES (1, 2), (3, 1), (0, 2);
     CREATE TABLE named (k uuid PRIMARY KEY); INSERT INTO named VALUES ('${uuid}');
     CREATE VIEW seen AS SELECT count(*) AS n FROM many;
     CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
     CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (5);
     CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (5) TO (10);
     INSERT INTO parted SELECT generate_series(0, 9);`,
    );
    const whole = await textOf(address, fromTable("many"));
    assertEquals(csvLines(whole).length, 1001);
    for (const partitions of [2, 7]) {
      assertEquals(await textOf(address, fromTable("many"), { partitions, batchSize: 16 }), whole);
    }
    const parted = ["id", ...Array.from({ length: 10 }, (_, index) => String(index))];
    await assertGives(address, [
      [fromTable("doubled"), ["a", "1", "1", "1"]],
      [fromTable("pair"), ["a,b", "3,1", "0,2", "1,2"]],
      // Of which there is neither a least nor a largest.
      [fromTable("named"), ["k", uuid]],
      [fromTable("seen"), ["n", "1000"]],
      [fromTable("parted"), parted, {}, { partitions: 3 }],
      [{ kind: "query", sql: "SELECT 1 AS a, 2 AS a; -- twice" }, ["a,a", "1,2"]],
      [fromTable("pair"), ["a,b", "3,1", "1,2", "0,2"], {
        orderBy: [{ path: "a", isDescending: true }],
      }],
    ]);
  },
);

postgresTest("numbers that are none, or without an end, are no times", async (address) => {
  await inPostgres(
    address,
    `CREATE TABLE t (id int PRIMARY KEY, f float8, n numeric);
     INSERT INTO t VALUES (1, ${march.fromMs}, ${march.fromMs}), (2, 'NaN', 'NaN'),
       (3, 'Infinity', 'Infinity'), (4, '-Infinity', '-Infinity'), (5, 1e300, 1${"0".repeat(400)})`,
  );
  for (const field of ["f", "n"]) {
    const time = { field, period: march, unit: "ms" } as const;
    await using source = await openTable(address, "t", { time });
    const { read, rows, reasons } = await resultOf(source, { onBadRow: "skip" });
    assertEquals([read, rows], [4, 1], field);
    assertEquals(reasons, [
      `1: ${field} is text, not a number of milliseconds`,
      `2: ${field} is infinite, so that it has no place in time`,
    ]);
  }
});

postgresTest(
  "large values are bounded: fewer rows at a time",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE t (id int PRIMARY KEY, v text);
     INSERT INTO t SELECT i, repeat('x"y,', 250000 * (i % 2)) FROM generate_series(1, 30) i`,
    );
    const text = await textOf(address, fromTable("t"), { batchSize: 500 });
    const large = `"${'x""y,'.repeat(250_000)}"`;
    const expected = Array.from(
      { length: 30 },
      (_, index) => `${index + 1},${index % 2 === 0 ? large : '""'}\r\n`,
    );
    assert(text === `id,v\r\n${expected.join("")}`);
  },
);

/** Random tables; the gate reads a few. */
const rounds = draws(5);

const texts = [
  ...["", "a", " a ", 'a"b', "a,b", "a;b", "a\tb", "a\nb", "a\rb", "\r\n", "\\", "\\.", "\\N"],
  ...["\ufeff", "\ufeffa", "a\ufeff", '\ufeff"', "\u0001", "a\u0001b", "\u0001\u0001", "\u0002"],
  ...["ü😀", "日本語", "！", "NULL", "0", "[1]", "-", "=1+1", "\u2028", "\u001f\u007f\b\f\v"],
  ...["\ufeff=1", " =1", "\u00a0@x", "＝1", "\t=", "'=1", '"=1', "+1", "\r", " ", "é=", "\u0085-"],
  ...['""', "x".repeat(70_000), "'", "ab  ", "{}", "null", "t", "true"],
];

/** Each type, with values as SQL. */
const types: Readonly<Record<string, readonly string[]>> = {
  "text": [],
  "varchar(80000)": [],
  "char(9)": ["'a'", "'a\"'", "''", "E'\\t'"],
  "int": ["0", "-1", "2147483647"],
  "bigint": ["9223372036854775807"],
  "numeric": ["1.50", "'NaN'", "-0.0", "12345678901234567890.5"],
  "float8": ["0.1", "'-0'", "'NaN'", "'-Infinity'", "1e300", "1e-7"],
  "float4": ["0.1", "'-0'", "'Infinity'"],
  "boolean": ["true", "false"],
  "oid": ["1", "4294967295"],
  "json": [
    `'"${"j".repeat(200)}"'`,
    `'{"a": [1.50, null]}'`,
    `E'[1,\\n 2,\\r\\n 3]'`,
    "'null'",
    `'"ü\\u0001"'`,
    "'-0'",
  ],
  "jsonb": [`'{"b": 1, "a": "x"}'`, "'null'", "'[]'", "'-0'"],
  "bytea": ["'\\x00ff'", "''", `'\\x${"ab".repeat(200)}'`],
  "timestamptz": [
    ...["'2026-01-31 08:30:00.123456+02'", "'infinity'", "'-infinity'", "'0044-03-15 BC'"],
    ...["'20260-01-01Z'", "'0001-01-01Z'"],
  ],
  "timestamp": ["'2026-01-31 08:30:00'", "'infinity'", "'0044-03-15 12:00 BC'"],
  "date": ["'2026-01-31'", "'infinity'", "'0044-03-15 BC'"],
  "time": ["'08:30:00.5'"],
  "timetz": ["'08:30:00+02'"],
  "interval": ["'1 day 2 hours'", "'-1 month'"],
  "uuid": ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  "xml": ["'<a b=\"c\">d,e</a>'", "''"],
  "name": ["'a,b'"],
  "int[]": ["ARRAY[1,NULL,3]"],
  "text[]": ["ARRAY['a,b', 'c']", "ARRAY[E'\\t']"],
};

function quote(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

const formats: readonly FormatOptions[] = [
  { format: "csv", titles: [] },
  { format: "csv", titles: [], quote: "all", bom: true },
  { format: "csv", titles: [], nullText: "NULL", delimiter: ";", header: false },
  { format: "csv", titles: [], nullText: "0", delimiter: "\t" },
  { format: "csv", titles: [], nullText: "\\N", delimiter: "|" },
  { format: "csv", titles: [], nullText: "[1]" },
  { format: "csv", titles: [], nullText: "null", delimiter: "{" },
  { format: "csv", titles: [], nullText: "-Infinity", delimiter: "\\" },
  { format: "csv", titles: [], nullText: "-", delimiter: "@", quote: "all" },
  { format: "csv", titles: [], escapeFormulas: true },
  { format: "csv", titles: [], escapeFormulas: true, quote: "all", delimiter: ";" },
  { format: "csv", titles: [], escapeFormulas: true, nullText: "\\N", delimiter: "\t" },
  { format: "csv", titles: [], escapeFormulas: true, nullText: "-", delimiter: ":" },
  { format: "csv", titles: [], delimiter: " ", nullText: "true" },
  { format: "csv", titles: [], quote: "all", delimiter: "t" },
  { format: "tsv", titles: [] },
  { format: "tsv", titles: [], escapeFormulas: true },
  { format: "tsv", titles: [], nullText: "\\N" },
  { format: "tsv", titles: [], nullText: "0" },
  { format: "ndjson", titles: [] },
];

/** Checks that what the server writes is what we write. */
async function assertSame(
  address: string,
  selection: Selection,
  format: FormatOptions,
  where: string,
): Promise<void> {
  assertEquals(
    await outcomeOf(address, selection, { format }),
    await outcomeOf(address, selection, { format, projection: false }),
    `${where}: ${JSON.stringify(format)}`,
  );
}

postgresTest("every value of every type, in every format", async (address) => {
  for (const [type, values] of Object.entries(types)) {
    const rows = values.length === 0 ? texts.map(quote) : values;
    await inPostgres(
      address,
      `DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY, "c" ${type}, "d" ${type});
       INSERT INTO t VALUES (-1, NULL, NULL), ${
        rows.map((value, index) => `(${index}, ${value}::${type}, ${value}::${type})`).join(", ")
      }`,
    );
    const small = [csv, { maxValueBytes: 150, fields: fieldsOf("d", "c", "id") }] as const;
    const ways = [...formats.map((format) => [format, {}] as const), small];
    for (const [format, more] of ways) {
      await assertSame(address, selectionOf(fromTable("t"), more), format, type);
    }
  }
});

postgresTest(
  "random tables: what the server writes is what we write, to the byte",
  async (address) => {
    const first = firstSeedOf(rounds);
    for (let seed = first; seed < first + rounds; seed++) {
      const draw = new Random(seed, 0);
      const random = <T>(from: readonly T[]): T => draw.pick(from);
      const names = Object.keys(types);
      const columns = Array.from({ length: 1 + random([0, 1, 2, 4]) }, () => random(names));
      const value = (type: string) =>
        random([0, 1, 2, 3]) === 0
          ? "NULL"
          : types[type]!.length === 0
          ? quote(random(texts))
          : random(types[type]!);
      const isKeyed = random([true, false]);
      const key = isKeyed ? ["id int PRIMARY KEY"] : ["id int"];
      const rows = Array.from(
        { length: random([1, 5, 60]) },
        (_, index) => `(${[index, ...columns.map(value)].join(", ")})`,
      );
      await inPostgres(
        address,
        `DROP TABLE IF EXISTS t; CREATE TABLE t (${
          [
            ...key,
            ...columns.map((type, index) => `"c,${index}" ${type}`),
          ].join(", ")
        }); INSERT INTO t VALUES ${rows.join(", ")}`,
      );
      const paths = random([undefined, ["c,0"], ["c,0", "id"]]);
      const selection = selectionOf(fromTable("t"), {
        ...(paths === undefined ? {} : { fields: fieldsOf(...paths) }),
        maxValueBytes: random([67_108_864, 67_108_864, 150, 3]),
        ...(isKeyed ? {} : { orderBy: [{ path: "id", isDescending: true }] }),
      });
      for (const format of formats) {
        await assertSame(address, selection, format, `seed ${seed}: ${columns.join(", ")}`);
      }
    }
  },
);

postgresTest("no row is lost or cut while what is written to is slow", async (address) => {
  await inPostgres(
    address,
    `CREATE TABLE t (id int PRIMARY KEY, v text);
     INSERT INTO t SELECT i, repeat(E'a"\\n,', i % 97) FROM generate_series(1, 20000) i`,
  );
  const texts: string[] = [];
  // By lines that the server makes, by several cursors, and by rows.
  const ways = [[true, 1], [true, 3], [false, 7], [false, 1]] as const;
  for (const [index, [isSlow, partitions]] of ways.entries()) {
    await using source = await openTable(address, "t");
    assert(source.readLines !== undefined);
    const output = memoryOutput(async () => {
      for (let count = 0; isSlow && count < 5; count++) await turn();
    });
    const { rows } = await extract({
      ...{ ...extractDefaults, source, output, partitions },
      projection: index < ways.length - 1,
    });
    assertEquals([rows, source.openCursors], [20_000, 0]);
    texts.push(output.text());
  }
  assertEquals(texts.map((text) => text === texts[0]), ways.map(() => true));
});

postgresTest(
  "a copy that is stopped, or whose server fails, says so, and nothing hangs",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE t (id int PRIMARY KEY, v text);
     INSERT INTO t SELECT i, repeat('abc', 100) FROM generate_series(1, 20000) i;
     CREATE VIEW fails AS SELECT id, v, 1 / (15000 - id) AS w FROM t`,
    );
    await using source = await openTable(address, "fails");
    const failure = await failureOf(source);
    assert(`${failure}`.includes("division by zero"), `${failure}`);
    assertEquals(source.openCursors, 0);

    await using stopped = await openTable(address, "t");
    const abort = new AbortController();
    const output = memoryOutput(() => abort.abort("enough"));
    const reason: unknown = await failureOf(stopped, { signal: abort.signal }, output);
    assertEquals(reason, "enough");
  },
);

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
    { nullText: "true" },
    { nullText: "n/a", delimiter: "/" },
    { nullText: "'=" },
  ];
  for (const one of odd) {
    for (const escapeFormulas of [true, false]) {
      assertEquals(postgresLines({ ...csv, ...one, escapeFormulas }, options), undefined);
    }
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
    await using source = await openTable(address, name, { maxValueBytes: 3_000_000 });
    const progress: (number | undefined)[] = [];
    const result = await resultOf(source, {
      onBadRow: "skip",
      onProgress: (_rows, _bytes, at) => void progress.push(at),
    });
    assertEquals([result.rows, result.skipped[0]?.count ?? 0], [rows, skipped], name);
    if (name === "t") assertEquals(progress.at(-1), 100);
  }
});
