import { stringify } from "csv-stringify/sync";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import Papa from "papaparse";
import type { ColumnName } from "../../../scenarios/extract/columns.ts";
import { csvFormat, type CsvOptions } from "../../../scenarios/extract/csv_format.ts";
import { columns as allColumnValues } from "../../../scenarios/extract/columns.ts";
import { defaultColumns } from "../../../scenarios/extract/default_columns.ts";
import type { MessageRow } from "../../../scenarios/extract/message_row.ts";
import { phrases } from "../../../scenarios/extract/seed/words.ts";

const allColumns: readonly ColumnName[] = [...defaultColumns, "message_id"];

function row(text: string, rest: Partial<MessageRow> = {}): MessageRow {
  return {
    messageId: 7,
    sentAtMs: Date.UTC(2026, 0, 31, 8, 30),
    contactId: 3,
    contactName: "Ada",
    channel: "web",
    conversationId: 5,
    sender: "bot",
    text,
    ...rest,
  };
}

function parse(text: string, delimiter = ","): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: "\r\n" });
  assertEquals(errors, []);
  // What follows the last line break is not a record.
  assertEquals(data.pop(), [""]);
  return data;
}

// Half a surrogate pair is no text and has no bytes in UTF-8.
const textArbitrary = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom(..."\"',;=+-@\t\r\n |a1 \u2028👍") }),
  fc.constantFrom(...phrases),
);
const rowArbitrary: fc.Arbitrary<MessageRow> = fc.record({
  messageId: fc.maxSafeInteger(),
  sentAtMs: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
  contactId: fc.maxSafeInteger(),
  contactName: textArbitrary,
  channel: textArbitrary,
  conversationId: fc.maxSafeInteger(),
  sender: textArbitrary,
  text: textArbitrary,
});

function valuesOf(one: MessageRow, shown: (text: string) => string): string[] {
  return [
    String(one.contactId),
    shown(one.contactName!),
    shown(one.channel!),
    String(one.conversationId),
    new Date(one.sentAtMs).toISOString(),
    shown(one.sender!),
    shown(one.text!),
    String(one.messageId),
  ];
}

for (const escapeFormulas of [false, true]) {
  test(`another parser finds the same values, ${escapeFormulas ? "" : "no "}formulas escaped`, () => {
    // The characters that full-width keyboards give are formulas to some spreadsheets too.
    const shown = (text: string) =>
      escapeFormulas && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
    fc.assert(
      fc.property(
        fc.array(rowArbitrary, { maxLength: 8 }),
        fc.constantFrom(",", ";", "\t", "|"),
        (rows, delimiter) => {
          const format = csvFormat({ columns: allColumns, delimiter, escapeFormulas });
          assertEquals(parse(format.header() + format.lines(rows), delimiter), [
            [...allColumns],
            ...rows.map((one) => valuesOf(one, shown)),
          ]);
        },
      ),
      { numRuns: 300 },
    );
  });
}

test("lines end in CRLF, and quotes stand only where they must", () => {
  const format = csvFormat({ columns: ["sent_at", "text"] });
  assertEquals(format.header(), "sent_at,text\r\n");
  assertEquals(
    format.lines([row('a "b"'), row("a,b"), row("a\nb"), row("a\rb"), row("a;b"), row("")]),
    '2026-01-31T08:30:00.000Z,"a ""b"""\r\n' +
      '2026-01-31T08:30:00.000Z,"a,b"\r\n' +
      '2026-01-31T08:30:00.000Z,"a\nb"\r\n' +
      '2026-01-31T08:30:00.000Z,"a\rb"\r\n' +
      "2026-01-31T08:30:00.000Z,a;b\r\n" +
      "2026-01-31T08:30:00.000Z,\r\n",
  );
});

test("formulas are escaped unless asked not to be, numbers never", () => {
  const rows = ["=1", "+1", "-1", "@a", "\ta", "\ra", "a=1", "'=1"].map((text) =>
    row(text, { contactId: -5 })
  );
  const columns = ["contact_id", "text"] as const;
  assertEquals(
    csvFormat({ columns }).lines(rows),
    "-5,'=1\r\n-5,'+1\r\n-5,'-1\r\n-5,'@a\r\n-5,'\ta\r\n-5,\"'\ra\"\r\n-5,a=1\r\n-5,'=1\r\n",
  );
  assertEquals(
    csvFormat({ columns, escapeFormulas: false }).lines(rows.slice(0, 2)),
    "-5,=1\r\n-5,+1\r\n",
  );
});

test("an empty text alone on its line is still a record, and no rows are no text", () => {
  assertEquals(csvFormat({ columns: ["text"] }).lines([row(""), row("a")]), '""\r\na\r\n');
  assertEquals(csvFormat({ columns: ["text"] }).lines([]), "");
});

test("unknown options, columns and delimiters are refused", () => {
  const refuse = (options: unknown, type: typeof Error) =>
    assertThrows(() => csvFormat(options as CsvOptions), type).message;
  assertEquals(
    refuse({ columns: ["text"], quotes: true }, TypeError),
    'Cannot write CSV: unknown option "quotes", known are columns, delimiter, escapeFormulas',
  );
  const known = "columns must be of contact_id, contact_name, channel, conversation_id, sent_at, " +
    "sender, text, message_id";
  assertEquals(
    refuse({ columns: ["text", "size"] }, RangeError),
    `Cannot write CSV: ${known}, got size`,
  );
  assertEquals(refuse({ columns: [] }, RangeError), `Cannot write CSV: ${known}, got none`);
  for (const delimiter of ["", "ab", '"', "\n", "\r"]) {
    assertEquals(
      refuse({ columns: ["text"], delimiter }, RangeError),
      "Cannot write CSV: delimiter must be one character, no quote and no line break, got " +
        JSON.stringify(delimiter),
    );
  }
});

test("rows are what csv-stringify makes of all their values", () => {
  const anyRow = fc.oneof(
    rowArbitrary,
    fc.record({
      ...{ messageId: fc.integer(), sentAtMs: fc.integer({ min: 0, max: 4e12 }) },
      ...{ contactId: fc.integer(), conversationId: fc.integer() },
      contactName: fc.constantFrom(
        "",
        "=1",
        "\0",
        "a\0b",
        "\n",
        "\r",
        '"',
        " ",
        "\ufeff",
        "｜",
        "＝x",
      ),
      channel: fc.constantFrom("", "web", ";", ",", "\t"),
      sender: fc.constantFrom("", "bot"),
      text: textArbitrary,
    }),
  );
  fc.assert(
    fc.property(
      fc.array(anyRow, { maxLength: 6 }),
      fc.subarray([...allColumns], { minLength: 1 }),
      fc.constantFrom(",", ";", "\t", "|", "^", "."),
      fc.boolean(),
      (rows, columns, delimiter, escapeFormulas) => {
        const whole = stringify(
          rows.map((one) => columns.map((name) => allColumnValues[name].value(one))),
          {
            delimiter,
            escape_formulas: escapeFormulas,
            record_delimiter: "\r\n",
            quote_record_delimiter: true,
            quoted_empty: columns.length === 1,
          },
        );
        assertEquals(csvFormat({ columns, delimiter, escapeFormulas }).lines(rows), whole);
      },
    ),
    { numRuns: 1000 },
  );
});
