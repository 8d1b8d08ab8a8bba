import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { extract, type ExtractOptions } from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { JsonLines, type JsonRows } from "../../../../scenarios/extract/formats/json_lines.ts";
import { SqliteSlices } from "../../../../scenarios/extract/sources/sqlite_slices.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import type { LineOptions } from "../../../../scenarios/extract/source.ts";
import { extractDefaults, inFolder, memoryOutput, selectionOf } from "../_helpers.ts";
import { draws, firstSeedOf } from "../../../lib/thorough.ts";

/** Random tables; the gate reads a few. */
const rounds = draws(8);

const types = [
  ...["INTEGER", "REAL", "TEXT", "VARCHAR(9)", "BLOB", "", "NUMERIC", "DATE", "POINT", "DOUBLE"],
];
const usual = ["1", "'a'", "NULL", "0.5", "'x,y'", "''", "'\"'", "-0.0", "2.0"];
const odd = [
  ...["9007199254740993", "-9223372036854775808", "1e300", "9e999", "x'00ff'", "x''"],
  ...["'é'", "'a' || char(0) || 'b'", "CAST(x'61ff' AS TEXT)", "char(65533)", "'😀'"],
  ...["printf('%.3000c', 'x')", "zeroblob(3000)", "'12'", "'1e3'", "CAST(x'c3' AS TEXT)"],
];

function randomFrom(seed: number): <T>(from: readonly T[]) => T {
  return (from) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return from[Math.floor(seed / 65536) % from.length]!;
  };
}

/** What comes of it: all that is written, counted and said. */
async function outcomeOf(path: string, maxValueBytes: number, options: Partial<ExtractOptions>) {
  const selection = selectionOf({ kind: "table", name: "t" }, { maxValueBytes });
  const source = await openSource(`sqlite:${path}`, selection);
  const output = memoryOutput();
  try {
    const result = await extract({
      ...extractDefaults,
      ...{ source, output, onBadRow: "skip" },
      ...options,
    });
    // Which is found first depends on the cursor, where several read.
    const skipped = result.skipped.map(({ reason, count }) => `${count}: ${reason}`).sort();
    return { text: output.text(), rows: result.rows, read: result.read, skipped };
  } finally {
    await source.close();
    assertEquals(source.openCursors, 0);
  }
}

test("random tables: what is read as it is, is what is read with care, to the byte", () =>
  inFolder(async (folder) => {
    // The first four are of the plainest tables.
    const first = 4 + firstSeedOf(rounds);
    for (let seed = first; seed < first + rounds; seed++) {
      const random = randomFrom(seed);
      const path = join(folder, `${seed}.sqlite`);
      const database = new DatabaseSync(path);
      const columns = Array.from({ length: random([1, 2, 4, 9]) }, () => random(types));
      const key = random(["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY DESC", "id INT"]);
      const encoding = random(["UTF-8", "UTF-8", "UTF-16le"]);
      const names = columns.map((type, index) => `"c ${index}" ${type}`);
      database.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE t (${[key, ...names]}); BEGIN`);
      const oddness = random([0, 1, 2]);
      const step = random([1, 1, 7, 1_000_003]);
      for (let row = 0, rows = random([1, 150, 900]); row < rows; row++) {
        const isOdd = oddness === 2 || oddness === 1 && random([...Array(150).keys()]) === 0;
        const values = columns.map(() => random(isOdd ? odd : usual));
        database.exec(`INSERT INTO t VALUES (${[row * step - 100, ...values]})`);
      }
      database.exec("COMMIT");
      database.close();
      const maxValueBytes = random([67_108_864, 2_500, 4]);
      for (const format of ["csv", "tsv", "ndjson"] as const) {
        const careful = await outcomeOf(path, maxValueBytes, {
          ...{ format: { format }, projection: false },
        });
        for (const partitions of [1, 3]) {
          assertEquals(
            await outcomeOf(path, maxValueBytes, { format: { format }, partitions, threads: 1 }),
            careful,
            `seed ${seed}: ${key}, ${columns.join(", ")}, ${format}, ${partitions}`,
          );
        }
      }
    }
  }));

test("only a slice with something odd is read with care, and the next, until one is usual", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c REAL); BEGIN");
  const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
  for (let id = 1; id <= 1_000; id++) {
    insert.run(id, id === 250 ? "x".repeat(3_000) : "a", id === 750 ? 0.5 : id, 0.5);
  }
  database.exec("COMMIT");
  const slices = SqliteSlices.open(database, {
    ...{ table: "t", tables: "main.t AS t", key: "t.rowid", maxValueBytes: 1_000_000 },
    columns: ["id", "a", "b", "c"].map((title) => ({ expression: `t."${title}"`, title })),
  })!;
  const lines = new JsonLines({ format: "csv", titles: ["id", "a", "b", "c"] });
  const make = (rows: JsonRows) => lines.make(rows);
  const seen = [...slices.slices({ from: 1, to: 1_001 }, make)].map(({ part, made }) => {
    made?.release();
    return [part.from, part.to, made?.rows];
  });
  assertEquals(seen, [
    ...[[1, 101, 100], [101, 201, 100], [201, 301, undefined], [301, 501, undefined]],
    ...[[501, 601, 100], [601, 701, 100], [701, 801, undefined], [801, 1_001, undefined]],
  ]);
  const [one] = slices.slices({ from: 7, to: 8 }, make);
  assertEquals(new TextDecoder().decode(one!.made!.bytes), "7,a,7,0.5\r\n");
  database.close();
});

test("JSON that a column computes stays text", () =>
  inFolder(async (folder) => {
    const path = join(folder, "computed.sqlite");
    const database = new DatabaseSync(path);
    database.exec(`
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, v TEXT AS (json(a)), s TEXT AS (json(a)) STORED);
      INSERT INTO t (a) VALUES ('"abc"'), ('12'), ('[1, 2]'), ('null'), ('{"a": "b"}')`);
    database.close();
    const format = { format: "ndjson" } as const;
    const careful = await outcomeOf(path, 1_000, { format, projection: false });
    assertEquals(await outcomeOf(path, 1_000, { format }), careful);
    assertEquals(careful.text.split("\n")[1], '{"id":2,"a":"12","v":"12","s":"12"}');
  }));

const many = (row: string, count = 250) =>
  `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})
   INSERT INTO t SELECT ${row} FROM s`;

for (
  const [name, ...statements] of [
    [
      "its key is stored downwards",
      "CREATE TABLE t (ts INTEGER, v TEXT, p REAL, PRIMARY KEY (ts DESC)) WITHOUT ROWID",
      many("n, 'v' || n, n * 1.5"),
    ],
    [
      "an index has all columns, downwards",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, p REAL)",
      "CREATE INDEX i ON t (id DESC, v, p)",
      many("n, 'v' || n, n * 1.5"),
    ],
    [
      "many keys lie between two integers",
      "CREATE TABLE t (id NUMERIC PRIMARY KEY, v TEXT) WITHOUT ROWID",
      many("n, 'v'", 100),
      many("101 + n / 1000.0, 'value ' || n", 900),
    ],
    [
      "a key is missing, and no row has a number",
      "CREATE TABLE t (id INT PRIMARY KEY, rowid TEXT, _rowid_ TEXT, oid TEXT)",
      "INSERT INTO t VALUES (1, 'a', 'b', 'c'), (NULL, 'd', 'e', 'f'), (2, 'g', 'h', 'i')",
    ],
  ] as const
) {
  test(`no row is lost, and none has another's values, where ${name}`, () =>
    inFolder(async (folder) => {
      const path = join(folder, "odd.sqlite");
      const database = new DatabaseSync(path);
      database.exec(statements.join(";\n"));
      const count = database.prepare("SELECT count(*) AS count FROM t").get()!.count;
      database.close();
      for (const format of ["csv", "ndjson"] as const) {
        const careful = await outcomeOf(path, 1_000, { format: { format }, projection: false });
        assertEquals(careful.rows, count);
        assertEquals(await outcomeOf(path, 1_000, { format: { format } }), careful);
      }
    }));
}

test("large rows are read ahead by their bytes, by several cursors too", () =>
  inFolder(async (folder) => {
    const path = join(folder, "large.sqlite");
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
      ${many("n, printf('%.300000c', 'x')", 120)}`);
    database.close();
    const selection = selectionOf({ kind: "table", name: "t" }, {});
    const source = await openSource(`sqlite:${path}`, selection);
    const readLines = source.readLines!.bind(source);
    let [read, written, mostAhead] = [0, 0, 0];
    const output = memoryOutput();
    const result = await extract({
      ...{ ...extractDefaults, partitions: 4, threads: 1, highWaterMark: 2 },
      source: Object.assign(source, {
        readLines: (format: FormatOptions, options: LineOptions) =>
          readLines(format, {
            ...options,
            onRow() {
              mostAhead = Math.max(mostAhead, ++read - written / 300_000);
              options.onRow();
            },
          }),
      }),
      output: Object.assign(output, {
        async write(bytes: Uint8Array) {
          written += bytes.length;
          // All that may be read meanwhile is.
          for (let turn = 0; turn < 10; turn++) {
            await new Promise<void>((resolve) => setImmediate(resolve));
          }
        },
      }),
    });
    await source.close();
    assertEquals([result.rows, read], [120, 120]);
    assertEquals(mostAhead < 20, true, `${mostAhead} rows were read ahead`);
  }));
