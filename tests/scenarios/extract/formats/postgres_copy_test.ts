import { assertEquals } from "@std/assert";
import { finished } from "node:stream/promises";
import process from "node:process";
import { test } from "node:test";
import postgres from "postgres";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";

const address = process.env.POSTGRES_URI;
const skip = address === undefined && process.env.HOSEPIPE_REQUIRE_POSTGRES !== "1";

const texts = [
  ...["\\.", "", "\ufeffa", "a\\.", "\\.\n", "a\n\\.\nb", '"', "1", "NULL", " ", "\\N", ","],
];

/** What PostgreSQL's `COPY` reads of rows that we write. */
async function copied(titles: string[], rows: (string | null)[][], isTitled: boolean) {
  const sql = postgres(address!, { max: 1, onnotice() {} });
  try {
    const format = createFormat({ format: "csv", titles, header: isTitled });
    const columns = titles.map((_, index) => `c${index} text`);
    await sql.unsafe(`CREATE TEMP TABLE copied (n serial, ${columns})`);
    const names = titles.map((_, index) => `c${index}`);
    const header = isTitled ? ", HEADER" : "";
    const sink = await sql.unsafe(`COPY copied (${names}) FROM STDIN (FORMAT csv${header})`)
      .writable();
    sink.end(format.header() + format.lines(rows));
    await finished(sink);
    const found = await sql.unsafe(`SELECT ${names} FROM copied ORDER BY n`).values();
    return [...found].map((row) => [...row]);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

test(
  "PostgreSQL reads one column as it was, but for NULL, with and without a header",
  { skip },
  async () => {
    const rows = texts.map((text) => [text]);
    for (const title of ["text", "1", "\\.", "\ufeffid"]) {
      for (const isTitled of [true, false]) {
        assertEquals(
          await copied([title], rows, isTitled),
          rows,
        );
      }
    }
    assertEquals(await copied(["text"], [[null]], true), [[""]]);
  },
);

test("PostgreSQL reads two columns as they were, NULL too", { skip }, async () => {
  const values = [...texts, null];
  const rows = values.flatMap((one) => values.map((two) => [one, two]));
  for (const isTitled of [true, false]) {
    assertEquals(await copied(["1", "2"], rows, isTitled), rows);
  }
});
