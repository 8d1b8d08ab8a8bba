import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";
import { CopiedRows } from "../../../../scenarios/extract/sources/copied_rows.ts";
import { postgresCopy } from "../../../../scenarios/extract/sources/postgres_copy.ts";
import {
  postgresTypes as t,
  postgresValue,
} from "../../../../scenarios/extract/sources/postgres_value.ts";

const types = [t.text, t.float8, t.bool, t.timestamptz, t.timestamp, t.jsonb, t.date];
const values: readonly (readonly string[])[] = [
  [
    ...["", "a", 'a"b', "\\", "a\tb\nc\rd", "\u0001", "\u0002\u0001\u0001", "\b\f\v\u001f\u007f"],
    ...["ü😀\u2028", "\ufeffa", "-0", "null", "x".repeat(9_000), "\u0001\\\n".repeat(3_000)],
  ],
  ["0", "-0", "-0.5", "1e+300", "NaN", "Infinity", "-Infinity", "-1", "-07"],
  ["t", "f"],
  ["2026-01-31 08:30:00.12+00", "infinity", "0044-03-15 00:00:00+00 BC", "-infinity"],
  ["2026-01-31 08:30:00", "0044-03-15 00:00:00 BC"],
  ["-0", "[1,\r\n2]", '{"a":"\\u0001b"}', "null", '"x"'],
  ["2026-01-31", "infinity"],
];

/** A field as the server writes it, which has these marks: between fields 2, around some of them 1. */
function fieldOf(text: string | null): string {
  if (text === null) return "";
  return text === "" || ["\u0001", "\u0002", "\r", "\n"].some((mark) => text.includes(mark))
    ? `\u0001${text.replaceAll("\u0001", "\u0001\u0001")}\u0001`
    : text;
}

for (const format of ["ndjson", "tsv"] as const) {
  for (const only of [types.length, 1]) {
    test(`the server's row becomes our line of ${format}: ${only} columns, each value`, () => {
      const nullText = format === "tsv" ? "-\\é-" : "";
      const titles = types.slice(0, only).map((type) => `"${type}`);
      const columns = titles.map((title, index) => ({
        ...{ expression: title, title, type: types[index]! },
      }));
      const { marks } = postgresCopy({ format, titles, nullText }, columns)!;
      const rows = new CopiedRows({
        ...{ isHeaded: false, placeIndex: undefined, keyIndexes: [], marks },
        ...{ onRow() {}, onBadRow() {} },
      });
      const expected: string[] = [];
      for (let index = 0; index < 60; index++) {
        const row = titles.map((_, column) => {
          // Each value stands beside each other sooner or later.
          const some = [null, ...values[column]!];
          return some[Math.floor(index / (column + 1)) % some.length]!;
        });
        const bytes = Buffer.from(`\u0001d${row.map(fieldOf).join("\u0002")}\n\u0001\u0001`);
        rows.add(bytes, 2, bytes.length - 2);
        const made = row.map((text, column) =>
          text === null ? null : postgresValue(Buffer.from(text), types[column]!)!
        );
        expected.push(createFormat({ format, titles, nullText }).lines([made]));
      }
      const texts = rows.take().map(({ text }) => Buffer.from(text as Uint8Array).toString());
      assertEquals(texts.join("").split("\n"), expected.join("").split("\n"));
    });
  }
}
