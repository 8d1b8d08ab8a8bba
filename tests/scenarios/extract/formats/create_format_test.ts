import { finished } from "node:stream/promises";
import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import Papa from "papaparse";
import process from "node:process";
import postgres from "postgres";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import { JsonText, TextBytes, type Value } from "../../../../scenarios/extract/value.ts";

const two = ["a", "b"];

function lineOf(options: Omit<FormatOptions, "titles">, ...row: readonly Value[]): string {
  return createFormat({ titles: row.map((_, index) => `c${index}`), ...options }).lines([row]);
}

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom('"', ",", "\r", "\n", "\t", "\\", "=", "a", "\0", "ü", "😀", " "))
    .map((parts) => parts.join("")),
);
const rowsOfTwo = fc.array(fc.tuple(texts, texts), { minLength: 1 });

test("CSV is what others write, and what others read back", () => {
  const format = createFormat({ format: "csv", titles: two });
  fc.assert(fc.property(rowsOfTwo, (rows) => {
    const text = format.header() + format.lines(rows);
    const records = [two, ...rows];
    assertEquals(
      text,
      stringify(records, {
        record_delimiter: "\r\n",
        // Half a line break is one to many who read it, too.
        quoted_match: /[\r\n]/,
        quoted_empty: true,
      }),
    );
    assertEquals(Papa.parse(text, { newline: "\r\n", delimiter: "," }).data.slice(0, -1), records);
  }));
});

test("a row in parts is the same row, whatever its values and the format", () => {
  const values: fc.Arbitrary<Value> = fc.oneof(
    ...[texts, fc.double(), fc.bigInt(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
    ...[texts.map((text) => new TextBytes(new TextEncoder().encode(text.toWellFormed())))],
    fc.uint8Array(),
    fc.json().map((text) => new JsonText(text)),
    texts.map((text) => text.repeat(20_000)),
  );
  const formats = fc.constantFrom<FormatOptions["format"]>("csv", "tsv", "ndjson");
  const options = fc.record({
    format: formats,
    escapeFormulas: fc.boolean(),
    quote: fc.constantFrom<"minimal" | "all">("minimal", "all"),
  });
  fc.assert(
    fc.property(options, fc.tuple(values, values), (some, row) => {
      const format = createFormat({ ...some, titles: two });
      assert([...format.parts(row)].join("") === format.lines([row]));
    }),
    { numRuns: 200 },
  );
});

test("TSV reads back after its escapes are undone", () => {
  const format = createFormat({ format: "tsv", titles: two });
  const marks: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
  fc.assert(fc.property(rowsOfTwo, (rows) => {
    const lines = format.lines(rows).split("\n").slice(0, -1);
    const read = lines.map((line) =>
      line.split("\t").map((text) => text.replaceAll(/\\(.)/g, (_, mark) => marks[mark]!))
    );
    assertEquals(read, rows);
  }));
});

test("NDJSON reads back, a field that is missing left out", () => {
  const format = createFormat({ format: "ndjson", titles: ["a", "__proto__", "ü"] });
  fc.assert(
    fc.property(fc.tuple(texts, fc.integer(), fc.option(texts, { nil: undefined })), (row) => {
      const line = format.lines([row]);
      assertEquals(line.indexOf("\n"), line.length - 1);
      const entries = Object.entries(JSON.parse(line));
      const expected = [["a", row[0]], ["__proto__", row[1]], ["ü", row[2]]];
      assertEquals(entries, expected.filter(([, value]) => value !== undefined));
    }),
  );
});

test("NULL has a text of its own, which no text is mistaken for", () => {
  assertEquals(lineOf({ format: "csv" }, null, "", 1), ',"",1\r\n');
  assertEquals(lineOf({ format: "csv", nullText: "NULL" }, null, "NULL", ""), 'NULL,"NULL",\r\n');
  assertEquals(lineOf({ format: "csv", quote: "all" }, null, "a", 1, true), ',"a","1","true"\r\n');
  assertEquals(lineOf({ format: "tsv", nullText: "\\N" }, null, "\\N", ""), "\\N\t\\\\N\t\n");
  assertEquals(lineOf({ format: "ndjson" }, null, undefined, "null"), '{"c0":null,"c2":"null"}\n');
  // A line with nothing would be no row to many who read it.
  assertEquals(lineOf({ format: "csv" }, null), '""\r\n');
});

test("a text alone in its row that readers take for something of their own is quoted", () => {
  assertEquals(lineOf({ format: "csv" }, "\\."), '"\\."\r\n');
  assertEquals(lineOf({ format: "csv" }, "\\..", 1), "\\..,1\r\n");
  assertEquals(lineOf({ format: "csv" }, "\\.", 1), "\\.,1\r\n");
  assertEquals(lineOf({ format: "csv" }, ""), '""\r\n');
  assertEquals(lineOf({ format: "csv", nullText: "NULL" }, ""), '""\r\n');
  const titled = createFormat({ format: "csv", titles: ["\\."] });
  assertEquals(titled.header(), '"\\."\r\n');
});

test("a byte order mark that a text begins with is quoted, so that it is not the file's", () => {
  assertEquals(lineOf({ format: "csv" }, "\ufeffa", "b\ufeff"), '"\ufeffa",b\ufeff\r\n');
  const format = createFormat({ format: "csv", titles: ["\ufeffid"], bom: true });
  assertEquals(format.header(), '\ufeff"\ufeffid"\r\n');
  const large = `\ufeff${"x".repeat(100_000)}`;
  for (const value of [large, new TextBytes(new TextEncoder().encode(large))]) {
    assertEquals(Array.from(format.parts([value])).join(""), `"${large}"\r\n`);
  }
  const escaping = createFormat({ format: "csv", titles: two, escapeFormulas: true });
  const formula = [`\ufeff=${"x".repeat(100_000)}`, 1];
  assertEquals(Array.from(escaping.parts(formula)).join(""), escaping.lines([formula]));
});

test("numbers keep their digits, JSON its shape", () => {
  const values = [
    12345678901234567890n,
    0.1,
    -0,
    NaN,
    -Infinity,
    false,
    new JsonText('{"a":[1.50]}'),
  ];
  assertEquals(
    lineOf({ format: "csv" }, ...values),
    '12345678901234567890,0.1,-0,NaN,-Infinity,false,"{""a"":[1.50]}"\r\n',
  );
  assertEquals(
    lineOf({ format: "ndjson" }, ...values),
    '{"c0":12345678901234567890,"c1":0.1,"c2":-0.0,"c3":"NaN","c4":"-Infinity","c5":false,"c6":{"a":[1.50]}}\n',
  );
  assertEquals(
    lineOf({ format: "ndjson" }, new JsonText('{\n"a": 1\r\n}')),
    '{"c0":{ "a": 1  }}\n',
  );
});

test("formulas are escaped where that is asked for, whatever stands before them; nothing else is", () => {
  const dangerous = [
    "=1",
    "+1",
    "-1",
    "@a",
    "\t1",
    "\r1",
    "\n=1",
    " =1",
    "\ufeff=1",
    "＝1",
    "\r\n\t@a",
    "\0=1",
  ];
  const harmless = ["1", "a=1", "", "a\n=1", "'=1"];
  for (const format of ["csv", "tsv"] as const) {
    const shown = (text: string, escapeFormulas: boolean) =>
      lineOf({ format, escapeFormulas }, text, "end");
    for (const text of dangerous) {
      assertEquals(shown(text, true), shown(`'${text}`, false), JSON.stringify(text));
    }
    for (const text of harmless) assertEquals(shown(text, true), shown(text, false));
  }
  assertEquals(
    lineOf({ format: "csv", escapeFormulas: true }, -5, new JsonText("-5")),
    "-5,-5\r\n",
  );
});

test("a formula is escaped though what stands before it is longer than what is looked at once", () => {
  for (const format of ["csv", "tsv"] as const) {
    const { parts, lines } = createFormat({ format, titles: two, escapeFormulas: true });
    for (const text of [`${"\u3000".repeat(350_000)}=1`, `${"\u3000".repeat(350_000)}1`]) {
      const expected = lines([[text, 1]]);
      for (const value of [text, new TextBytes(new TextEncoder().encode(text))]) {
        assert(Array.from(parts([value, 1])).join("") === expected);
      }
    }
  }
});

test("header and byte order mark are what is asked for", () => {
  const header = (options: Omit<FormatOptions, "titles">) =>
    createFormat({ titles: ["a", 'b"c', "d,e"], ...options }).header();
  assertEquals(header({ format: "csv" }), 'a,"b""c","d,e"\r\n');
  assertEquals(header({ format: "csv", delimiter: ";", bom: true }), '\ufeffa;"b""c";d,e\r\n');
  assertEquals(header({ format: "tsv", header: false }), "");
  assertEquals(header({ format: "csv", header: false, bom: true }), "\ufeff");
  assertEquals(header({ format: "ndjson" }), "");
});

test("a document is a line of NDJSON itself", () => {
  const format = createFormat({ format: "ndjson", titles: ["document"], isWhole: true });
  assertEquals(format.lines([[new JsonText('{"a":1}')], [new JsonText("{}")]]), '{"a":1}\n{}\n');
});

test("wrong options are refused", () => {
  const create = (options: Partial<FormatOptions>) => () =>
    void createFormat({ format: "csv", titles: two, ...options });
  for (const delimiter of ["", "ab", "\n", "\r"]) {
    assertThrows(create({ delimiter }), RangeError, "delimiter must be one character");
  }
  assertThrows(create({ delimiter: '"' }), RangeError, "delimiter and quote must differ");
  assertThrows(create({ titles: [] }), RangeError, "there must be a column");
  assertThrows(create({ nullText: "a\n" }), RangeError, "the text for NULL");
  assertThrows(create({ format: "tsv", nullText: "\t" }), RangeError, "the text for NULL");
  assertThrows(create({ format: "ndjson", titles: ["a", "a"] }), RangeError, 'got "a" twice');
  assertThrows(create({ format: "ndjson", bom: true }), RangeError, "no byte order mark");
  assertThrows(create({ format: "xml" as "csv" }), RangeError, "csv, tsv, ndjson, got xml");
  assertThrows(create({ sauce: 1 } as object), TypeError, "sauce");
});

const address = process.env.POSTGRES_URI;
const skip = address === undefined && process.env.HOSEPIPE_REQUIRE_POSTGRES !== "1";

const oddTexts = [
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
    const rows = oddTexts.map((text) => [text]);
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
  const values = [...oddTexts, null];
  const rows = values.flatMap((one) => values.map((two) => [one, two]));
  for (const isTitled of [true, false]) {
    assertEquals(await copied(["1", "2"], rows, isTitled), rows);
  }
});
