import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import { readExtractFlags } from "../../scenarios/extract/read_extract_flags.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
import {
  inFolder,
  inPostgres,
  inSqlite,
  postgresTest,
  withFile,
} from "../scenarios/extract/_helpers.ts";
import { period, runByShell, runExtract, withSeed } from "./fixtures/run_extract.ts";
import process from "node:process";
import postgres from "postgres";

const count = (value: number) => value.toLocaleString("en-US");

const drafts = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.endsWith(".tmp"));

test("a period is written to a file, or to standard output, the same", () =>
  withSeed(50, async (folder, flags, messages) => {
    const out = join(folder, "out.csv");
    const toFile = await runExtract(...flags, "--out", out);
    const text = await readFile(out, "utf8");
    assertEquals([toFile.code, toFile.stderr], [0, ""], "no progress where no one watches");
    const bytes = count(new TextEncoder().encode(text).length);
    const rows = count(messages);
    assertMatch(
      toFile.stdout,
      new RegExp(
        `^rows ${rows} = written ${rows} \\+ skipped 0; ${bytes} bytes in [\\d.]+ s: \\S+\\n$`,
      ),
    );
    assert(
      text.startsWith("contact_id,contact_name,channel,conversation_id,sent_at,sender,text\r\n"),
    );
    const toPipe = await runExtract(...flags, "--out", "-", "--partitions", "3", "--no-projection");
    assertEquals([toPipe.code, toPipe.stdout], [0, text]);
    assertMatch(toPipe.stderr, new RegExp(`^rows ${rows} = written ${rows} \\+ skipped 0; .*\n$`));
    const byThreads = await runExtract(...flags, "--out", "-", "--threads", "2");
    assertEquals([byThreads.code, byThreads.stdout], [0, text]);
    assertMatch(byThreads.stderr, /^Warning: one thread reads: /);
    await runExtract(...flags, "--out", out, "--threads", "2");
    assertEquals(await readFile(out, "utf8"), text);
    assertEquals(await drafts(folder), []);
  }));

test("columns, delimiter, formulas and time zone are what the flags say", () =>
  withSeed(300, async (_folder, [flag, source]) => {
    const { code, stdout, stderr } = await runExtract(
      ...[flag!, source!, "--from", "2026-01-03", "--to", "2026-01-04T00:00Z", "--out", "-"],
      ...["--time-zone", "Asia/Tokyo", "--fields", "sent_at,text", "--delimiter", "\\t"],
      ...["--batch-size", "5", "--hwm", "1", "--no-progress", "--quiet"],
    );
    assertEquals([code, stderr], [0, ""]);
    const times = [...stdout.matchAll(/^(2026-01-[^\t]+)\t/gm)].map(([, time]) => time!);
    assert(times.length > 0);
    assert(times.every((time) => time >= "2026-01-02T15" && time < "2026-01-04"));
    assertEquals(stdout.split("\r\n")[0], "sent_at\ttext");
    assert(/\t=/.test(stdout) && !/\t'=/.test(stdout));
  }));

const same = (bytes: Uint8Array) => bytes;
const [csv, tsv, ndjson] = [
  'id,note,total\r\n1,a\tb,1.5\r\n2,,2\r\n3,"",\r\n',
  "id\tnote\ttotal\n1\ta\\tb\t1.5\n2\t\t2\n3\t\t\n",
  '{"id":1,"note":"a\\tb","total":1.5}\n{"id":2,"note":null,"total":2}\n{"id":3,"note":"","total":null}\n',
];
const asJson = ["--format", "ndjson", "--fields", "id,note:n"];
const fewFields = '{"id":1,"n":"a\\tb"}\n{"id":2,"n":null}\n{"id":3,"n":""}\n';

/** What is in a file of a name that flags have made. */
const outputs: readonly (readonly [
  name: string,
  flags: readonly string[],
  text: string,
  read?: (bytes: Uint8Array) => Uint8Array,
])[] = [
  // The name says the format and the compression, unless a flag does.
  ["a.tsv", [], tsv],
  ["a.TSV.GZ", [], tsv, gunzipSync],
  ["a.jsonl.zst", [], ndjson, zstdDecompressSync],
  ["a.ndjson", [], ndjson],
  ["a.gz", [], csv, gunzipSync],
  ["tsv", [], csv],
  ["a.tsv.bak", [], csv],
  ["b.tsv", ["--format", "csv"], csv],
  ["b.csv.gz", ["--compress", "none"], csv],
  ["c.csv.gz", ["--compress", "zstd"], csv, zstdDecompressSync],
  [
    ...["a", ["--format", "tsv", "--null", "\\N", "--no-header", "--order-by", "id:desc"]] as const,
    "3\t\t\\N\n2\t\\N\t2\n1\ta\\tb\t1.5\n",
  ],
  ["b", [...asJson, "--compress", "gzip"], fewFields, gunzipSync],
  ["c", [...asJson, "--compress", "zstd"], fewFields, zstdDecompressSync],
  [
    ...["d", ["--bom", "--quote", "all", "--fields", "note"]] as const,
    '\ufeff"note"\r\n"a\tb"\r\n""\r\n""\r\n',
  ],
];

test("a table goes to any format, compressed or not, by the file's name and the flags", () =>
  withFile(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, total REAL); " +
      "INSERT INTO orders VALUES (1, 'a\tb', 1.5), (2, NULL, 2), (3, '', NULL)",
    async (address, path) => {
      const source = ["--source", address];
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      for (const [name, flags, text, read = same] of outputs) {
        const out = join(dirname(path), name);
        const { code, stderr } = await runExtract(
          ...[...source, "--table", "orders", "--quiet", "--out", out, ...flags],
        );
        assertEquals([code, stderr], [0, ""], name);
        assertEquals(decoder.decode(read(await readFile(out))), text, name);
      }
      const out = join(dirname(path), "out");
      const json = await runExtract(...source, "--query", "SELECT 1 AS a", "--out", out, "--json");
      const { seconds, ...sum } = JSON.parse(json.stdout);
      assert(seconds > 0);
      assertEquals(sum, {
        ...{ rows: 1, written: 1, skipped: 0, reasons: [], bytes: 6, out, isReplaced: true },
      });
      const cut = await runExtract(
        ...[...source, "--table", "orders", "--order-by", "note", "--partitions", "2"],
        ...["--out", out],
      );
      assertEquals([cut.code, cut.stdout], [2, ""]);
      assertMatch(
        cut.stderr,
        /^Cannot cut sqlite:\S+ into --partitions: parts follow each other by /,
      );
      for (
        const [flags, end] of [
          [["--compress", "br"], "--compress must be one of gzip, zstd, none, got br"],
          [["--out", "a.tsv", "--quote", "all"], "--quote is of csv, not of tsv"],
        ] as const
      ) {
        assertThrows(() => readExtractFlags(flags), UsageError, end);
      }
    },
  ));

test("without a source, generated data is read", () =>
  inFolder(async (folder) => {
    const out = join(folder, "out.csv");
    const { code, stdout, stderr } = await runExtract("--out", out);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^rows 20,517 = written 20,517 \+ skipped 0; 2,049,156 bytes in /);
  }));

test("another runtime gives the same bytes", () =>
  withSeed(50, async (_folder, flags) => {
    const other = currentRuntime().name === "deno" ? "bun" : "deno";
    const [here, there] = [
      await runExtract(...flags, "--out", "-", "--quiet"),
      await runExtract(...flags, "--out", "-", "--quiet", "--runtime", other),
    ];
    assertEquals(there, here);
  }));

test("what is wrong with the source is told in one line, and the target stays as it was", () =>
  withSeed(50, async (folder, flags) => {
    const out = join(folder, "out.csv");
    await writeFile(out, "old");
    inSqlite(
      join(folder, "a.sqlite"),
      "UPDATE messages SET sent_at = NULL WHERE id = 100; DROP INDEX messages_sent_at",
    );
    const failed = await runExtract(...flags, "--out", out);
    assertEquals([failed.code, failed.stdout], [1, ""]);
    assertMatch(
      failed.stderr,
      /^Warning: no index .*\nCannot read a row of sqlite:\S+: row message=100: sent_at is NULL, so that it has no place in time; 0 rows were written\n$/,
    );
    assertEquals([await readFile(out, "utf8"), await drafts(folder)], ["old", []]);
    const skipped = await runExtract(...flags, "--out", out, "--on-bad-row", "skip");
    assertEquals(skipped.code, 0);
    assertMatch(
      skipped.stderr,
      /\nWarning: 1 row was skipped: sent_at is NULL, .*; the first: row message=100\n$/,
    );
    assertMatch(skipped.stdout, /^rows [\d,]+ = written [\d,]+ \+ skipped 1; /);
    const absent = await runExtract("--source", `sqlite:${folder}/b`, ...period, "--out", out);
    assertEquals([absent.code, absent.stderr], [
      1,
      `Cannot open sqlite:${folder}/b: no such file\n`,
    ]);
  }));

postgresTest(
  "a table whose row-level security hides rows is refused, unless a flag lets them lack",
  async (address) => {
    const role = `hosepipe_${randomUUID().slice(0, 8)}`;
    await inPostgres(
      address,
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'seen'), (2, 'hidden');
     CREATE ROLE ${role} LOGIN PASSWORD 'p'; GRANT SELECT ON t TO ${role};
     ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (id = 1)`,
    );
    try {
      const source = Object.assign(new URL(address), { username: role, password: "p" }).href;
      const args = ["--source", source, "--table", "t", "--out", "-", "--quiet"];
      const { code, stdout, stderr } = await runExtract(...args);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^Cannot open .* row-level security .*; --row-security exports those /);
      assertEquals((await runExtract(...args, "--row-security")).stdout, "id,v\r\n1,seen\r\n");
      const query = [...args.slice(0, 2), "--query", "SELECT v FROM t", ...args.slice(4)];
      assertEquals((await runExtract(...query)).code, 1);
    } finally {
      await inPostgres(address, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  },
);

const rows = [
  { id: 1, note: 'a "b", c', total: 1.5 },
  { id: 2, note: null, total: null },
  { id: 3, note: "", total: -2 },
  { id: 4, note: "two\nlines \\.", total: 0.1 },
];

/** Gives the flags to write these rows to standard output. */
function withOrders(use: (folder: string, flags: readonly string[]) => Promise<void>) {
  return inFolder(async (folder) => {
    const path = join(folder, "shop.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, total REAL)");
    const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?)");
    for (const { id, note, total } of rows) insert.run(id, note, total);
    database.close();
    const flags = ["--source", `sqlite:${path}`, "--table", "orders", "--out", "-", "--quiet"];
    await use(folder, flags);
  });
}

const hasPsql = spawnSync("psql", ["--version"]).status === 0;

if (hasPsql || process.env.HOSEPIPE_REQUIRE_POSTGRES !== undefined) {
  postgresTest(
    "psql copies what comes by a pipe",
    (address) =>
      withOrders(async (_folder, flags) => {
        await inPostgres(
          address,
          "CREATE TABLE orders (id int PRIMARY KEY, note text, total float8)",
        );
        const copy = `psql -X '${address}' -c '\\copy orders FROM STDIN (FORMAT csv, HEADER)'`;
        const { code, stdout, stderr } = await runByShell(`"$@" | ${copy}`, ...flags);
        assertEquals([code, stdout, stderr], [0, "COPY 4\n", ""]);
        const sql = postgres(address, { max: 1 });
        const found = await sql`SELECT * FROM orders ORDER BY id`;
        await sql.end();
        assertEquals([...found].map((row) => ({ ...row })), rows);
      }),
  );
}

test(
  "DuckDB reads what comes by a pipe",
  { skip: process.platform === "win32" },
  () =>
    withOrders(async (_folder, flags) => {
      const { executable, arguments: first } = thisRuntime;
      const script = fileURLToPath(new URL("fixtures/read_by_duckdb.ts", import.meta.url));
      const reader = [executable, ...first, script].map((part) => `'${part}'`).join(" ");
      const { code, stdout, stderr } = await runByShell(`"$@" | ${reader}`, ...flags);
      assertEquals([code, stderr], [0, ""]);
      const read = (JSON.parse(stdout) as Record<string, unknown>[])
        .map(({ id, ...row }) => ({ id: Number(id), ...row }));
      assertEquals(read, rows);
    }),
);
