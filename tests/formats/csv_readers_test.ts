import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import postgres from "postgres";
import { toText } from "@hosepipe/streams";
import { formatCsv } from "@hosepipe/streams/formats";

type Row = readonly (string | null)[];

const address = process.env.POSTGRES_URI;
const skip = address === undefined && process.env.HOSEPIPE_REQUIRE_POSTGRES !== "1";

const texts = fc.oneof(
  fc.constantFrom("\\.", "", "\ufeffa", "a\\.", "\\.\n", "a\n\\.\nb", '"', "NULL", " ", "\\N", ","),
  fc.array(fc.constantFrom('"', ",", "\n", "\r", "'", ";", "\t", " ", "a", "ü", "😀", "1"), {
    maxLength: 8,
  }).map((units) => units.join("")),
);

/** Tables of one to three columns; null is nothing, which a column alone in its row cannot show. */
const tables: fc.Arbitrary<readonly Row[]> = fc.integer({ min: 1, max: 3 }).chain((width) =>
  fc.array(
    fc.array(width === 1 ? texts : fc.option(texts, { freq: 5 }), {
      minLength: width,
      maxLength: width,
    }),
    { minLength: 1, maxLength: 12 },
  )
);

const namesOf = (rows: readonly Row[]) => rows[0]!.map((_, at) => `c${at}`);

function write(rows: readonly Row[], quoteAll: boolean): Promise<string> {
  return toText(rows, formatCsv({ columns: namesOf(rows), quoteAll }));
}

test("DuckDB reads what formatCsv writes as it was", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hosepipe-duckdb-"));
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  const file = join(folder, "table.csv");
  try {
    await fc.assert(
      fc.asyncProperty(tables, fc.boolean(), async (rows, quoteAll) => {
        writeFileSync(file, await write(rows, quoteAll));
        const columns = namesOf(rows).map((name) => `'${name}': 'VARCHAR'`).join(", ");
        const reader = await connection.runAndReadAll(
          // Its client takes a byte order mark off a text that begins with one.
          `SELECT ${
            namesOf(rows).map((name) => `'=' || ${name}`)
          } FROM read_csv('${file}', header = true, auto_detect = false, delim = ',', quote = '"',
             escape = '"', new_line = '\\r\\n', columns = {${columns}}, allow_quoted_nulls = false)`,
        );
        const marked = rows.map((row) => row.map((text) => text === null ? null : `=${text}`));
        assertEquals(reader.getRows(), marked);
      }),
      { numRuns: 60 },
    );
  } finally {
    connection.closeSync();
    database.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("PostgreSQL reads what formatCsv writes as it was", { skip }, async () => {
  const sql = postgres(address!, { max: 1, onnotice() {} });
  try {
    await fc.assert(
      fc.asyncProperty(tables, fc.boolean(), async (rows, quoteAll) => {
        const names = namesOf(rows);
        const columns = names.map((name) => `${name} text`);
        await sql.unsafe("DROP TABLE IF EXISTS written");
        await sql.unsafe(`CREATE TEMP TABLE written (n serial, ${columns})`);
        const copy = `COPY written (${names}) FROM STDIN (FORMAT csv, HEADER)`;
        const sink = await sql.unsafe(copy).writable();
        sink.end(await write(rows, quoteAll));
        await finished(sink);
        const found = await sql.unsafe(`SELECT ${names} FROM written ORDER BY n`).values();
        assertEquals([...found].map((row) => [...row]), rows as never);
      }),
      { numRuns: 60 },
    );
  } finally {
    await sql.end({ timeout: 0 });
  }
});
