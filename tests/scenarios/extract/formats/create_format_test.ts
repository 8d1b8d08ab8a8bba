import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { toText } from "@hosepipe/streams";
import { formatCsv } from "@hosepipe/streams/formats";
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

test("CSV is what formatCsv writes, however it is to look", async () => {
  const names = fc.oneof(texts, fc.constantFrom("\\.", "\ufeffid", "1", ""));
  const values = fc.oneof(
    ...[names, fc.double(), fc.bigInt(), fc.boolean(), fc.constantFrom(null, undefined, "NULL", 0)],
  );
  const tables = fc.array(names, { minLength: 1, maxLength: 3 }).chain((titles) => {
    const row = fc.array(values, { minLength: titles.length, maxLength: titles.length });
    return fc.record({ titles: fc.constant(titles), rows: fc.array(row) });
  });
  const looks = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t"),
    nullText: fc.constantFrom("", "NULL", "\\N", "0"),
    ...{ header: fc.boolean(), escapeFormulas: fc.boolean() },
  });
  await fc.assert(
    fc.asyncProperty(tables, looks, fc.boolean(), fc.boolean(), async (table, look, all, bom) => {
      const { titles, rows } = table;
      const format = createFormat({
        ...{ ...look, format: "csv", titles, bom, quote: all ? "all" : "minimal" },
      });
      const options = { ...look, columns: titles, quoteAll: all, byteOrderMark: bom };
      assertEquals(format.header() + format.lines(rows), await toText(rows, formatCsv(options)));
    }),
    { numRuns: 300 },
  );
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
  assertEquals(lineOf({ format: "tsv", nullText: "\\N" }, null, "\\N", ""), "\\N\t\\\\N\t\n");
  assertEquals(lineOf({ format: "ndjson" }, null, undefined, "null"), '{"c0":null,"c2":"null"}\n');
});

test("a byte order mark that a large text begins with is quoted, so that it is not the file's", () => {
  const format = createFormat({ format: "csv", titles: ["\ufeffid"] });
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
  // What is dangerous is said of formatCsv.
  const dangerous = ["=1", "-1", "\t1", "\r1", "\n=1", " =1", "\ufeff=1", "\r\n\t@a"];
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
