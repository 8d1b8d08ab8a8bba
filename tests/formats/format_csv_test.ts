import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { toArray } from "@hosepipe/streams";
import { type CsvRow, formatCsv, type FormatCsvOptions } from "@hosepipe/streams/formats";

async function textOf(rows: readonly unknown[], options: FormatCsvOptions = {}): Promise<string> {
  return (await toArray(rows as CsvRow[], formatCsv(options))).join("");
}

test("any texts are written as csv-stringify writes them", async () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }).filter((text) => !text.startsWith("\ufeff")),
    fc.array(fc.constantFrom('"', ",", "\r", "\n", "$&", "a", "ü")).map((parts) => parts.join("")),
  );
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(texts, texts)), async (rows) => {
    const expected = stringify(rows, {
      ...{ record_delimiter: "\r\n", quoted_match: /[\r\n]/, quoted_empty: true },
    });
    assertEquals(await textOf(rows), expected);
  }));
});

test("values have the text that reads back", async () => {
  const values = [1.5, -0, 12345678901234567890n, true, null, undefined, new Date(0), NaN, "x"];
  assertEquals(
    await textOf([values]),
    "1.5,-0,12345678901234567890,true,,,1970-01-01T00:00:00.000Z,NaN,x\r\n",
  );
  assertEquals(await textOf([[null, "", "NULL"]], { nullText: "NULL" }), 'NULL,,"NULL"\r\n');
  assertEquals(await textOf([[1, null, "a"]], { quoteAll: true }), '"1",,"a"\r\n');
  assertEquals(
    await textOf([["a'b;c", "d,e"]], { quote: "'", delimiter: ";" }),
    "'a''b;c';d,e\r\n",
  );
  assertEquals(await textOf([["a$b"]], { quote: "$" }), "$a$$b$\r\n");
});

test("a field that readers take for something of their own is quoted", async () => {
  assertEquals(await textOf([["\\."], [""], [null]]), '"\\."\r\n""\r\n""\r\n');
  assertEquals(await textOf([[""], [null]], { nullText: "NULL" }), '""\r\nNULL\r\n');
  assertEquals(await textOf([["\\.", "\ufeffa"]]), '\\.,"\ufeffa"\r\n');
  assertEquals(await textOf([{ "\\.": 1 }]), '"\\."\r\n1\r\n');
});

test("objects have a header of their names or of columns, arrays only of columns", async () => {
  const rows = [{ a: 1, b: "x" }, { b: "y", a: 2 }, { a: 3 }];
  assertEquals(await textOf(rows, { lineEnding: "\n" }), "a,b\n1,x\n2,y\n3,\n");
  assertEquals(await textOf(rows, { columns: ["b"] }), 'b\r\nx\r\ny\r\n""\r\n');
  assertEquals(await textOf([[1, 2]], { columns: ["a", "b"] }), "a,b\r\n1,2\r\n");
  assertEquals(await textOf(rows.slice(0, 1), { header: false }), "1,x\r\n");
  assertEquals(await textOf([], { columns: ["a"], byteOrderMark: true }), "\ufeffa\r\n");
  assertEquals(await textOf([]), "");
  assertEquals(await textOf([[1]], { byteOrderMark: true }), "\ufeff1\r\n");
  assertEquals(await textOf([{}], { columns: ["constructor", "a"] }), "constructor,a\r\n,\r\n");
});

test("nothing is lost: what has no place, or no text, fails the stream", async () => {
  const refused = (rows: unknown[], message: string, options?: FormatCsvOptions) =>
    assertRejects(() => textOf(rows, options), TypeError, `Cannot format CSV: ${message}`);
  await refused([{ a: 1 }, { b: 1 }], 'row 2 has a column "b" that the first has not');
  await refused([[1], [1, 2]], "row 2 has 2 values, 1 expected");
  await refused([[1]], "row 1 has 1 values, 2 expected", { columns: ["a", "b"] });
  await refused([{ a: 1 }, [1]], "row 2 is an array, after objects");
  await refused([[1], { a: 1 }], "row 2 is an object, after arrays");
  await refused([{ a: {} }], 'row 1, column "a" is an object, which CSV has nothing for');
  await refused([[1, Symbol("x")]], "row 1, column 2 is Symbol(x)");
  await refused([[new Date(NaN)]], "row 1, column 1 is an invalid Date");
  await refused([[]], "row 1 has no value");
  await refused([{}], "row 1 has no value");
  await refused([5], "a row must be an array or an object, got 5");
});

test("formulas get an apostrophe where that is asked for, numbers do not", async () => {
  const dangerous = ["=1+1", "+1", "-1", "@a", "\t=1", "\r1", " =1", "\ufeff=1", "＝1", "\0=1"];
  for (const text of dangerous) {
    const shown = await textOf([[text, "end"]], { escapeFormulas: true });
    assertEquals(shown, await textOf([[`'${text}`, "end"]]), JSON.stringify(text));
  }
  assertEquals(await textOf([[-5, "a=1", "'=1"]], { escapeFormulas: true }), "-5,a=1,'=1\r\n");
  assertEquals(await textOf([{ "=a": 1 }], { escapeFormulas: true }), "'=a\r\n1\r\n");
});

test("a line comes with its row, the header with the first", async () => {
  const lines = await toArray([{ a: 1 }, { a: 2 }], formatCsv());
  assertEquals(lines, ["a\r\n", "1\r\n", "2\r\n"]);
  assert(Object.isFrozen(formatCsv()));
});

test("wrong options are refused", () => {
  const create = (options: unknown) => () => void formatCsv(options as object);
  assertThrows(create({ sauce: 1 }), TypeError, 'unknown option "sauce"');
  for (const name of ["header", "quoteAll", "byteOrderMark", "escapeFormulas"]) {
    assertThrows(create({ [name]: 1 }), TypeError, `${name} must be a boolean, got 1`);
  }
  assertThrows(create({ columns: "a" }), TypeError, "columns must be an array of names");
  assertThrows(create({ columns: [] }), RangeError, "columns must have a name");
  assertThrows(create({ columns: [1] }), TypeError, "a column must be a string");
  assertThrows(create({ quote: "" }), RangeError, "quote must be one character");
  assertThrows(create({ delimiter: "ab" }), RangeError, "delimiter must be one character");
  assertThrows(create({ delimiter: ";", quote: ";" }), RangeError, "must differ");
  assertThrows(create({ nullText: 1 }), TypeError, "nullText must be a string");
  assertThrows(create({ nullText: "a,b" }), RangeError, "the text for NULL");
  assertThrows(create({ lineEnding: "\r" }), RangeError, 'lineEnding must be "\\r\\n" or "\\n"');
});
