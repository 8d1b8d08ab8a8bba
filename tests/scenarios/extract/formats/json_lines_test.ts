import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";
import type { FormatOptions } from "../../../../scenarios/extract/formats/format_options.ts";
import { JsonLines } from "../../../../scenarios/extract/formats/json_lines.ts";

const formats: readonly Omit<FormatOptions, "titles">[] = [
  ...[{ format: "csv" }, { format: "csv", quote: "all" }, { format: "csv", delimiter: ";" }],
  ...[{ format: "csv", delimiter: "1" }, { format: "csv", delimiter: "-", nullText: "NULL" }],
  ...["-", "a", "ab", "aba", "x", "¦"].map((nullText) => ({ format: "csv", nullText }) as const),
  ...["¦", "é"].map((delimiter) => ({ format: "csv", delimiter }) as const),
  ...[{ format: "csv", escapeFormulas: true }, { format: "csv", nullText: "12" }],
  ...[{ format: "csv", quote: "all", escapeFormulas: true, nullText: "é" }, { format: "tsv" }],
  ...[{ format: "tsv", nullText: "\\N", escapeFormulas: true }, { format: "ndjson" }],
] as const;

const characters = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code + 1)),
  ..."\u009f\u00a0é日\u2028\ufeff＝＠😀\ufffd",
];
const texts = [
  ...["-5 abc", "ab", "aba", "abc", "xby", "x", "a¦b", "aéb"],
  ...["", "NULL", "12", "é", "\\N", "\\.", "=", " =1", "\u007f=1", "\t\u0001@", "\u00a0-", "a,b;c"],
  ...characters.flatMap((one) => [one, `${one}a`, `a${one}`, `a${one}a`, `${one}=1`, `a${one}"`]),
];
const integers = ["0", "-1", "12", "9223372036854775807", "-9223372036854775808"];
const numbers = [0.1, -0.5, 2, -0, 1e300, 1e-7, Infinity, -Infinity, null];

/** As SQLite makes it of values. */
const database = new DatabaseSync(":memory:");
const makeJson = database.prepare("SELECT CAST(json_array(?, ?, NULL) AS BLOB) AS json");
makeJson.setReadBigInts(true);

for (const options of formats) {
  for (const isAlone of [false, true]) {
    const name = `${JSON.stringify(options)}${isAlone ? ", one column" : ""}`;
    test(`a row as JSON becomes the line that its values become: ${name}`, () => {
      const titles = isAlone ? ["text"] : ["text", "real", 'int"', "null"];
      const format = { ...options, titles };
      const { lines } = createFormat(format);
      const fast = new JsonLines(format);
      const rows = texts.map((text, index) => {
        const integer = BigInt(integers[index % integers.length]!);
        return { text, integer, number: numbers[index % numbers.length]! };
      });
      const jsons = rows.map(({ text, integer }) => {
        const { json } = makeJson.get(text, integer) as { json: Uint8Array };
        const whole = Buffer.from(json).toString();
        return isAlone ? `[${JSON.stringify(JSON.parse(whole)[0])}]` : whole;
      });
      const made = fast.make({
        json: Buffer.from(`[${jsons.join(",")}]`),
        mostRows: rows.length,
        isApart: isAlone ? [false] : [false, true, false, false],
        apart: rows.map(({ number }) => [number]),
      })!;
      const expected = rows.map(({ text, integer, number }) =>
        lines([isAlone ? [text] : [text, number, integer, null]])
      );
      assertEquals(made.rows, rows.length);
      assertEquals(Buffer.from(made.bytes).toString(), expected.join(""));
    });
  }
}

test("what is no row, or a number that is no integer, is left to be read with care", () => {
  const lines = new JsonLines({ format: "csv", titles: ["a", "b"] });
  for (
    const json of [
      '[[1,"x"],null]',
      "[null]",
      "[[1.5,2]]",
      "[[1,1e9]]",
      "[[9.0e+999,1]]",
      "[[[1],2]]",
      "[[true,2]]",
    ]
  ) {
    const apart: [] = [];
    assertEquals(
      lines.make({ json: Buffer.from(json), mostRows: 2, isApart: [], apart }),
      undefined,
      json,
    );
  }
  const none = lines.make({ json: Buffer.from("[]"), mostRows: 2, isApart: [], apart: [] });
  assertEquals([none?.rows, none?.bytes.length], [0, 0]);
});
