import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  extract,
  ExtractError,
  type ExtractOptions,
} from "../../../../scenarios/extract/extract.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import { JsonLines, type JsonRows } from "../../../../scenarios/extract/formats/json_lines.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { Random, seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import type { LineOptions } from "../../../../scenarios/extract/source.ts";
import { sqliteSlices } from "../../../../scenarios/extract/sources/sqlite.ts";
import { draws, firstSeedOf } from "../../../lib/thorough.ts";
import {
  assertGives,
  csvLines,
  extractDefaults,
  extractText,
  failureOf,
  fieldsOf,
  fromTable,
  inFolder,
  inSqlite,
  memoryOutput,
  openConversations,
  openTable,
  outcomeOf,
  resultOf,
  seededPeriod,
  selectionOf,
  textOf,
  withFile,
  withSqlite,
} from "../_helpers.ts";

const contacts = [...seedContacts({ contacts: 6, days: 30, seed: 3 })];
const messages = contacts.flatMap(({ conversations }) =>
  conversations.flatMap((one) => one.messages)
);

const withSeed = (change: string, use: (address: string, path: string) => Promise<void>) =>
  withSqlite(contacts, change, use);

async function extractSeed(address: string, options: Partial<ExtractOptions> = {}) {
  await using source = await openConversations(address, ["message_id", "text"]);
  return await resultOf(source, options);
}

/** Rows that a time in milliseconds finds no place for, with what is said of them. */
const unplaced = [
  ["NULL", "sent_at is NULL, so that it has no place in time"],
  ["'2026-01-05T00:00:00Z'", "sent_at is text, not a number of milliseconds"],
  ["x'01'", "sent_at is binary, not a number of milliseconds"],
  ["sent_at / 1000", "sent_at looks like seconds, not milliseconds"],
  ["sent_at * 1000", "sent_at looks like microseconds, not milliseconds"],
] as const;

test("a row whose time is none fails the run before anything is written, and is named", async () => {
  for (const [value, reason] of unplaced) {
    await withSeed(`UPDATE messages SET sent_at = ${value} WHERE id = 3`, async (address) => {
      await using source = await openConversations(address);
      for (const partitions of [1, 4]) {
        const output = memoryOutput();
        const { message } = await failureOf(source, { partitions }, output);
        assertMatch(message, /^Cannot read a row of sqlite:\S+: row message=3: .*; 0 rows /);
        assert(message.includes(`: ${reason}; 0 rows were written`), message);
        assertEquals(output.text(), "");
      }
    });
  }
});

test("such rows are skipped where that is asked for, counted by reason, and the sum is right", () =>
  withSeed(
    unplaced.map(([value], index) =>
      `UPDATE messages SET sent_at = ${value} WHERE id = ${index + 3}`
    )
      .join(";"),
    async (address) => {
      for (const partitions of [1, 8]) {
        const { read, rows, reasons } = await extractSeed(address, {
          ...{ partitions, onBadRow: "skip" },
        });
        assertEquals([read, rows], [messages.length, messages.length - unplaced.length]);
        assertEquals(reasons, unplaced.map(([, reason]) => `1: ${reason}`).sort());
      }
    },
  ));

test("a time far from the period in any unit is outside it, and nothing more", () =>
  withSeed("UPDATE messages SET sent_at = 0 WHERE id = 3", async (address) => {
    const { read, rows } = await extractSeed(address);
    assertEquals([read, rows], [messages.length - 1, messages.length - 1]);
  }));

test("a message without a conversation or a contact is a row all the same", () =>
  withSeed(
    "PRAGMA foreign_keys = OFF; UPDATE messages SET conversation_id = -1 WHERE id = 3; DELETE FROM contacts WHERE id = 2",
    async (address) => {
      const { read, rows } = await extractSeed(address);
      assertEquals([read, rows], [messages.length, messages.length]);
    },
  ));

test("300 rows of equal ids and times are 300 rows", () =>
  withFile(
    `CREATE TABLE contacts (id, name, channel);
      CREATE TABLE conversations (id, contact_id);
      CREATE TABLE messages (id, conversation_id, sent_at, sender, text);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO messages SELECT 7, 1, ${seededPeriod.fromMs + 5}, 'bot', i FROM n;
      CREATE INDEX messages_sent_at ON messages (sent_at);`,
    async (address) => {
      for (const partitions of [1, 3]) {
        const { rows, text } = await extractSeed(address, { partitions });
        assertEquals(rows, 300);
        const found = text.split("\r\n").slice(1, -1).map((line) => Number(line.split(",")[1]));
        assertEquals(found, Array.from({ length: 300 }, (_, index) => index + 1));
      }
    },
  ));

test("texts come whole with U+0000 in them, in every runtime; what is no UTF-8 is refused by name", () =>
  withSeed(
    "UPDATE messages SET text = 'a' || char(0) || 'b' || char(0) WHERE id = 3; " +
      "UPDATE messages SET text = char(0) WHERE id = 4; " +
      "UPDATE messages SET text = char(0xFFFD, 0xFEFF, 0x1F600) || 'ü' WHERE id = 5; " +
      "UPDATE messages SET text = CAST(x'61ff62' AS TEXT) WHERE id = 6; " +
      "UPDATE messages SET text = CAST(x'c3' AS TEXT) WHERE id = 7; " +
      "UPDATE messages SET text = CAST(x'eda080' AS TEXT) WHERE id = 8; " +
      "UPDATE messages SET text = CAST(x'6100ff' AS TEXT) WHERE id = 9; " +
      "UPDATE messages SET text = CAST(x'f09f98' AS TEXT) WHERE id = 10",
    async (address) => {
      const { read, rows, skipped, text } = await extractSeed(address, { onBadRow: "skip" });
      assertEquals([read, rows], [messages.length, messages.length - 5]);
      assertEquals(skipped, [{
        ...{ reason: "text is text that is not valid", count: 5, first: skipped[0]!.first },
      }]);
      assertMatch(skipped[0]!.first, /^row message=(6|7|8|9|10)\b/);
      for (const line of ["3,a\0b\0", "4,\0", "5,\ufffd\ufeff😀ü"]) {
        assert(text.includes(`\r\n${line}\r\n`), line);
      }
      await assertRejects(
        () => extractSeed(address),
        ExtractError,
        "text is text that is not valid",
      );
    },
  ));

test("a missing index is a warning with its remedy, and no more than that", () =>
  withSeed("DROP INDEX messages_sent_at", async (address, path) => {
    const source = await openConversations(address);
    assertEquals(await source.warnings(), [
      "no index on sent_at can be used, so all rows are sorted for each part: " +
      "CREATE INDEX messages_sent_at ON messages (sent_at);",
    ]);
    const text = await extractText(source);
    await source.close();
    inSqlite(path, "CREATE INDEX messages_sent_at ON messages (sent_at);");
    await using again = await openConversations(address);
    assertEquals(await again.warnings(), []);
    assertEquals(await extractText(again), text);
  }));

test("a slow output holds no lock: a copy is read, as the file was", () =>
  withSeed("", async (address, path) => {
    await using slow = await openConversations(address, ["message_id", "text"], seededPeriod, {
      isOutputSlow: true,
    });
    inSqlite(path, "DELETE FROM messages WHERE id > 2");
    assertEquals((await resultOf(slow, { partitions: 3 })).rows, messages.length);

    const fast = await openConversations(address);
    const remove = () => inSqlite(path, "PRAGMA busy_timeout = 0; DELETE FROM messages");
    assertThrows(remove, Error, "locked");
    await fast.close();
    remove();
  }));

test("a locked file is waited for, and given up after its time; waiting can be ended", () =>
  withSeed("", async (address, path) => {
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN EXCLUSIVE");
    const open = (timeoutMs: number, signal?: AbortSignal) =>
      openSource(address, selectionOf(fromTable("contacts"), { timeoutMs }), signal);
    await assertRejects(() => open(60), Error, `Cannot open ${address}: it was locked for 0.06 s`);
    const controller = new AbortController();
    const reason = new Error("enough");
    const waiting = open(60_000, controller.signal);
    controller.abort(reason);
    assert(await assertRejects(() => waiting) === reason);
    const patient = open(60_000);
    writer.exec("COMMIT");
    await (await patient).close();
    writer.close();
  }));

test("a cursor left in the middle is closed; a closed source refuses to read", () =>
  withSeed("", async (address) => {
    const source = await openConversations(address);
    const read = () =>
      source.read({
        ...{ part: undefined, isFirst: true, batchSize: 1, projection: true },
        ...{ onRow() {}, onBadRow() {} },
      });
    for await (const batch of read()) {
      assertEquals([batch.rows.length, source.openCursors], [1, 1]);
      break;
    }
    assertEquals(source.openCursors, 0);
    await source.close();
    await source.close();
    await assertRejects(async () => void await Array.fromAsync(read()), Error, "is closed");
  }));

test("what is not there, or no such database, is refused in one line", () =>
  inFolder(async (folder) => {
    const path = join(folder, "absent.sqlite");
    const { message } = await assertRejects(() => openConversations(`sqlite:${path}`), Error);
    assertEquals(message, `Cannot open sqlite:${path}: no such file`);
    const text = join(folder, "text.sqlite");
    await writeFile(text, "not a database, however long this text may go on, and on".repeat(20));
    await assertRejects(() => openConversations(`sqlite:${text}`), Error, "file is not a database");
    const itself = `sqlite:${folder}`;
    await assertRejects(() => openConversations(itself), Error, "it is not a regular file");
    await assertRejects(() => openConversations("mysql://x"), RangeError, "must be sqlite:FILE, ");
  }));

test("other threads may read the same file, but where they could see another or would have to sort", () =>
  withSeed("", async (address, path) => {
    const shared = async (isOutputSlow = false) => {
      await using source = await openConversations(address, undefined, seededPeriod, {
        isOutputSlow,
      });
      return source.shared?.address;
    };
    assertEquals(await shared(), address);
    assertEquals(await shared(true), undefined);
    inSqlite(path, "PRAGMA journal_mode = WAL");
    assertEquals(await shared(), undefined);
    inSqlite(path, "PRAGMA journal_mode = DELETE; DROP INDEX messages_sent_at");
    assertEquals(await shared(), undefined);
  }));

const query = (sql: string) => ({ kind: "query", sql }) as const;

test("queries: equal names, a comment at the end, an order of their own, U+0000", () =>
  withFile(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, n); INSERT INTO a (n) VALUES (3), (1), (2), ('x' || char(0) || 'y')",
    async (address) => {
      const falling = { orderBy: [{ path: "id", isDescending: true }] };
      await assertGives(address, [
        [
          query("SELECT id, n, n AS id FROM a ORDER BY typeof(n), n DESC; -- by n"),
          ["id,n,id", "1,3,3", "3,2,2", "2,1,1", "4,x\0y,x\0y"],
        ],
        [query("WITH b AS (SELECT n FROM a) SELECT n FROM b WHERE n = 1"), ["n", "1"]],
        [query("VALUES (1, 2), (3, 4)"), ["column1,column2", "1,2", "3,4"]],
        [query("SELECT id, n FROM a"), ["id,n", "4,x\0y", "3,2", "2,1", "1,3"], falling],
      ]);
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
    async (address) => {
      await assertGives(address, [
        [fromTable("empty"), ["a,b"]],
        [fromTable("keyed"), ["k,v", "a,1", "b,2"]],
        [fromTable("made"), ["a,b,c", "1,2,2", "2,4,3"]],
        [fromTable("doubled"), ["a", "1", "1", "1"]],
        [fromTable("shadows"), ["rowid,oid,_rowid_", "3,4,5", "1,2,3"]],
        [fromTable("far"), ["id", "-9223372036854775808", "9223372036854775807"]],
      ]);
      const seen = csvLines(await textOf(address, fromTable("seen")));
      assertEquals(seen.sort(), ["1,a", "2,b", "v,k"]);
      const whole = await textOf(address, fromTable("many"));
      assertEquals(csvLines(whole).length, 1001);
      for (const partitions of [2, 7]) {
        assertEquals(await textOf(address, fromTable("many"), { partitions }), whole);
      }
      for (const table of ["many", "keyed", "far", "empty"]) {
        await using source = await openTable(address, table);
        assertEquals(source.span !== undefined, table === "many", table);
      }
    },
  ));

test("rows that are ordered by a field are not cut by their time or key", () =>
  withFile(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, n, ms); ${n1000}
     INSERT INTO t SELECT i, -i, ${seededPeriod.toMs + 9} - i FROM n`,
    async (address) => {
      const time = { field: "ms", period: seededPeriod };
      for (const [more, first] of [[{ time }, 10], [{}, 1]] as const) {
        const fields = fieldsOf("n");
        const orderBy = [{ path: "n", isDescending: false }];
        await using source = await openTable(address, "t", { fields, orderBy, ...more });
        assertEquals(source.span, undefined);
        const { text, rows } = await resultOf(source, { partitions: 3 });
        assertEquals(rows, 1_001 - first);
        assertEquals(csvLines(text).slice(1), [
          ...Array.from({ length: rows }, (_, index) => String(index - 1_000)),
        ]);
      }
    },
  ));

test("large texts and binary are written in parts, the same as small ones", () =>
  withFile(
    "CREATE TABLE t (v); INSERT INTO t VALUES " +
      "(replace(hex(zeroblob(750000)), '0', '\"ü,')), " +
      "(replace(hex(zeroblob(750000)), '0', 'x')), (zeroblob(300001)), ('end')",
    async (address) => {
      const expected = ['"ü,'.repeat(1_500_000), "x".repeat(1_500_000)];
      const csv = csvLines(await textOf(address, fromTable("t")));
      assert(csv[1] === `"${expected[0]!.replaceAll('"', '""')}"`);
      assert(csv[2] === expected[1]);
      assert(csv[3] === `${"A".repeat(400_002)}==`);
      assertEquals(csv.slice(4), ["end"]);
      const linesOf = async (format: "tsv" | "ndjson") =>
        (await textOf(address, fromTable("t"), { format: { format } })).split("\n");
      const [tsv, ndjson] = [await linesOf("tsv"), await linesOf("ndjson")];
      assert(tsv[1] === expected[0] && tsv[2] === expected[1]);
      assert(JSON.parse(ndjson[0]!).v === expected[0] && JSON.parse(ndjson[1]!).v === expected[1]);
    },
  ));

test("a table of more columns than SQLite gives at a time is refused, with how many it would give", () => {
  const names = Array.from({ length: 1_990 }, (_, index) => `c${index}`);
  return withFile(
    `CREATE TABLE t (${names}); INSERT INTO t (c0, c1989) VALUES (1, 2)`,
    async (address) => {
      const open = (paths: readonly string[] = names) =>
        openTable(address, "t", { fields: fieldsOf(...paths) });
      const error = await assertRejects(() => open());
      const [, most] = /has 1990 columns, more .*: choose (\d+) of them at most with --fields$/
        .exec((error as Error).message) ?? [];
      assert(Number(most) > 1_900, String(error));
      await using source = await open(names.slice(-Number(most)));
      const [, row] = csvLines(await extractText(source));
      assertEquals(row, `${",".repeat(Number(most) - 1)}2`);
      await assertRejects(() => open(names.slice(-Number(most) - 1)), Error, "--fields");
    },
  );
});

test("a database of UTF-16 gives the same texts", () =>
  withFile(
    "PRAGMA encoding = 'UTF-16'; CREATE TABLE \"ü\" (v); INSERT INTO \"ü\" VALUES ('a😀' || char(0) || 'ü'), ('b'), (x'ff')",
    async (address) => {
      assertEquals(csvLines(await textOf(address, fromTable("ü"))), ["v", "a😀\0ü", "b", "/w=="]);
    },
  ));

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

async function outcome(
  address: string,
  maxValueBytes: number,
  options: Parameters<typeof outcomeOf>[2],
) {
  const selection = selectionOf(fromTable("t"), { maxValueBytes });
  const { firsts: _, ...all } = await outcomeOf(address, selection, options);
  return all;
}

test("random tables: what is read as it is, is what is read with care, to the byte", () =>
  inFolder(async (folder) => {
    // The first four are of the plainest tables.
    const first = 4 + firstSeedOf(rounds);
    for (let seed = first; seed < first + rounds; seed++) {
      const draw = new Random(seed, 0);
      const random = <T>(from: readonly T[]): T => draw.pick(from);
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
        const careful = await outcome(`sqlite:${path}`, maxValueBytes, {
          ...{ format: { format }, projection: false },
        });
        for (const partitions of [1, 3]) {
          assertEquals(
            await outcome(`sqlite:${path}`, maxValueBytes, {
              format: { format },
              partitions,
              threads: 1,
            }),
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
  const slices = sqliteSlices(database, {
    ...{ table: "t", tables: "main.t AS t", key: "t.rowid", maxValueBytes: 1_000_000 },
    columns: ["id", "a", "b", "c"].map((title) => ({ expression: `t."${title}"`, title })),
  })!;
  const lines = new JsonLines({ format: "csv", titles: ["id", "a", "b", "c"] });
  const make = (rows: JsonRows) => lines.make(rows);
  const seen = [...slices({ from: 1, to: 1_001 }, make)].map(({ part, made }) => {
    made?.release();
    return [part.from, part.to, made?.rows];
  });
  assertEquals(seen, [
    ...[[1, 101, 100], [101, 201, 100], [201, 301, undefined], [301, 501, undefined]],
    ...[[501, 601, 100], [601, 701, 100], [701, 801, undefined], [801, 1_001, undefined]],
  ]);
  const [one] = slices({ from: 7, to: 8 }, make);
  assertEquals(new TextDecoder().decode(one!.made!.bytes), "7,a,7,0.5\r\n");
  database.close();
});

test("JSON that a column computes stays text", () =>
  withFile(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, v TEXT AS (json(a)), s TEXT AS (json(a)) STORED);
     INSERT INTO t (a) VALUES ('"abc"'), ('12'), ('[1, 2]'), ('null'), ('{"a": "b"}')`,
    async (address) => {
      const format = { format: "ndjson" } as const;
      const careful = await outcome(address, 1_000, { format, projection: false });
      assertEquals(await outcome(address, 1_000, { format }), careful);
      assertEquals(careful.text?.split("\n")[1], '{"id":2,"a":"12","v":"12","s":"12"}');
    },
  ));

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
      "its key only looks like a row number",
      "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, v TEXT)",
      "INSERT INTO t VALUES (x'00', 'a'), ('b', 'c'), (2, 'd')",
    ],
    [
      "a key is missing, and no row has a number",
      "CREATE TABLE t (id INT PRIMARY KEY, rowid TEXT, _rowid_ TEXT, oid TEXT)",
      "INSERT INTO t VALUES (1, 'a', 'b', 'c'), (NULL, 'd', 'e', 'f'), (2, 'g', 'h', 'i')",
    ],
  ] as const
) {
  test(`no row is lost, and none has another's values, where ${name}`, () =>
    withFile(statements.join(";\n"), async (address) => {
      const counted = await textOf(address, query("SELECT count(*) AS n, 1 FROM t"));
      const count = parseInt(csvLines(counted)[1]!);
      for (const format of ["csv", "ndjson"] as const) {
        const careful = await outcome(address, 1_000, { format: { format }, projection: false });
        assertEquals(careful.rows, count);
        assertEquals(await outcome(address, 1_000, { format: { format } }), careful);
      }
    }));
}

const largeTable = `PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
  ${many("n, printf('%.300000c', 'x')", 120)}`;

test("large rows are read ahead by their bytes, by several cursors too", () =>
  withFile(largeTable, async (address) => {
    await using source = await openTable(address, "t");
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
    assertEquals([result.rows, read], [120, 120]);
    assertEquals(mostAhead < 20, true, `${mostAhead} rows were read ahead`);
  }));
