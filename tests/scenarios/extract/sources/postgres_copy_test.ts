import { assert, assertEquals } from "@std/assert";
import { setImmediate as turn } from "node:timers/promises";
import { extract, type ExtractOptions } from "../../../../scenarios/extract/extract.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import type { Selection } from "../../../../scenarios/extract/selection.ts";
import { errorOf } from "../../../lib/error_of.ts";
import {
  extractDefaults,
  inPostgres,
  memoryOutput,
  postgresTest,
  selectionOf,
} from "../_helpers.ts";
import { draws, firstSeedOf } from "../../../lib/thorough.ts";

/** Random tables; the gate reads a few. */
const rounds = draws(5);

const texts = [
  ...[
    "",
    "a",
    " a ",
    'a"b',
    "a,b",
    "a;b",
    "a\tb",
    "a\nb",
    "a\rb",
    "\r\n",
    "\\",
    "\\.",
    "\\N",
    '""',
  ],
  ...["\ufeff", "\ufeffa", "a\ufeff", '\ufeff"', "\u0001", "a\u0001b", "\u0001\u0001", "\u0002"],
  ...["ü😀", "日本語", "！", "NULL", "0", "[1]", "-", "=1+1", "\u2028", "\u001f\u007f\b\f\v"],
  ...["\ufeff=1", " =1", "\u00a0@x", "＝1", "\t=", "'=1", '"=1', "+1", "\r", " ", "é=", "\u0085-"],
  ...["x".repeat(70_000), "'", "ab  ", "{}", "null", "t", "true"],
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
  "json": [`'{"a": [1.50, null]}'`, `E'[1,\\n 2,\\r\\n 3]'`, "'null'", `'"ü\\u0001"'`, "'-0'"],
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

function randomFrom(seed: number): <T>(from: readonly T[]) => T {
  return (from) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return from[Math.floor(seed / 65536) % from.length]!;
  };
}

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
  { format: "csv", titles: [], escapeFormulas: true },
  { format: "csv", titles: [], escapeFormulas: true, quote: "all", delimiter: ";" },
  { format: "csv", titles: [], escapeFormulas: true, nullText: "\\N", delimiter: "\t" },
  { format: "csv", titles: [], escapeFormulas: true, nullText: "-", delimiter: ":" },
  { format: "csv", titles: [], delimiter: " ", nullText: "true" },
  { format: "csv", titles: [], quote: "all", delimiter: "t" },
  { format: "tsv", titles: [] },
  { format: "tsv", titles: [], nullText: "\\N" },
  { format: "tsv", titles: [], nullText: "0" },
  { format: "ndjson", titles: [] },
];

const table: Selection["from"] = { kind: "table", name: "t" };

/** What comes of it: all that is written, counted and said. */
async function outcomeOf(
  address: string,
  selection: Selection,
  options: Partial<ExtractOptions>,
): Promise<unknown> {
  const source = await openSource(address, selection);
  const output = memoryOutput();
  try {
    const { read, rows, skipped } = await extract({
      ...{ ...extractDefaults, source, output, onBadRow: "skip" },
      ...options,
    });
    return { text: output.text(), read, rows, skipped };
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    await source.close();
    assertEquals(source.openCursors, 0);
  }
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
    for (const format of formats) {
      const selection = selectionOf(table);
      assertEquals(
        await outcomeOf(address, selection, { format }),
        await outcomeOf(address, selection, { format, projection: false }),
        `${type}: ${JSON.stringify(format)}`,
      );
    }
  }
});

postgresTest(
  "random tables: what the server writes is what we write, to the byte",
  async (address) => {
    const first = firstSeedOf(rounds);
    for (let seed = first; seed < first + rounds; seed++) {
      const random = randomFrom(seed);
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
      const fields = random([undefined, ["c,0"], ["c,0", "id"]])?.map((path) => ({
        path,
        title: path,
      }));
      const selection = selectionOf(table, {
        ...(fields === undefined ? {} : { fields }),
        maxValueBytes: random([67_108_864, 67_108_864, 150, 3]),
        ...(isKeyed ? {} : { orderBy: [{ path: "id", isDescending: true }] }),
      });
      for (const format of formats) {
        const where = `seed ${seed}: ${columns.join(", ")}, ${JSON.stringify(format)}`;
        assertEquals(
          await outcomeOf(address, selection, { format }),
          await outcomeOf(address, selection, { format, projection: false }),
          where,
        );
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
    const source = await openSource(address, selectionOf(table));
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
    await source.close();
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
    const source = await openSource(address, selectionOf({ kind: "table", name: "fails" }));
    const output = memoryOutput();
    const failure = await errorOf(extract({ ...extractDefaults, source, output }));
    assert(`${failure}`.includes("division by zero"), `${failure}`);
    assertEquals([output.state, source.openCursors], ["discarded", 0]);
    await source.close();

    const stopped = await openSource(address, selectionOf(table));
    const abort = new AbortController();
    const out = memoryOutput(() => abort.abort("enough"));
    const reason = await errorOf(
      extract({ ...extractDefaults, source: stopped, output: out, signal: abort.signal }),
    );
    assertEquals([reason, out.state], [["enough"], "discarded"]);
    await stopped.close();
    assertEquals(stopped.openCursors, 0);
  },
);
