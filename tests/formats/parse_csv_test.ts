import { test } from "node:test";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import Papa from "papaparse";
import { pipeline, toArray, toText } from "@hosepipe/streams";
import {
  type CsvProblem,
  type CsvRow,
  formatCsv,
  type FormatCsvOptions,
  parseCsv,
  type ParseCsvOptions,
} from "@hosepipe/streams/formats";
import { cutsOf, outcomeOf } from "./_cuts.ts";
import { draws } from "../lib/thorough.ts";
import { stringify } from "csv-stringify/sync";
import { finished } from "node:stream/promises";
import postgres from "postgres";
import { isFormula, isFormulaInParts } from "../../src/formats/csv_fields.ts";

const spectrum = new URL("../../node_modules/csv-spectrum/", import.meta.url);
const encoder = new TextEncoder();

function rowsOf(text: string, options: ParseCsvOptions = {}): Promise<unknown[]> {
  return toArray([text], parseCsv(options));
}

const arrays = { header: false } as const;

/** Texts in which everything that means something to CSV is frequent. */
const odd = fc.array(
  fc.constantFrom('"', '""', ",", "\r", "\n", "\r\n", "a", "ü", "😀", " ", "\ufeff", ";"),
  { maxLength: 30 },
).map((parts) => parts.join(""));

for (const name of (await readdir(new URL("csvs/", spectrum))).sort()) {
  test(`csv-spectrum: ${name}`, async () => {
    const text = await readFile(new URL(`csvs/${name}`, spectrum), "utf8");
    const file = new URL(`json/${name.replace(".csv", ".json")}`, spectrum);
    const expected = JSON.parse(await readFile(file, "utf8"));
    // Its one answer that is no list has another number than its text.
    const rows = Array.isArray(expected)
      ? expected
      : [{ ...expected, "Contact Phone Number": "2095257564" }];
    assertEquals(await rowsOf(text), rows);
  });
}

test("what formatCsv writes of any texts is read back, by csv-parse and papaparse too", async () => {
  const texts = fc.oneof(odd, fc.string({ unit: "binary" }));
  const tables = fc.integer({ min: 1, max: 4 }).chain((count) =>
    fc.array(fc.array(texts, { minLength: count, maxLength: count }), { minLength: 1 })
  );
  const looks = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    quoteAll: fc.boolean(),
    lineEnding: fc.constantFrom("\r\n" as const, "\n" as const),
    byteOrderMark: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(tables, looks, async (rows, look) => {
      const text = (await toArray(rows, formatCsv(look))).join("");
      const { delimiter, lineEnding, byteOrderMark } = look;
      assertEquals(await rowsOf(text, { ...arrays, delimiter }), rows);
      assertEquals(
        parse(text, { delimiter, bom: byteOrderMark, relax_column_count: true }),
        rows,
      );
      // It takes the mark away of its own accord, and guesses an end of line without this.
      const read = Papa.parse(text, { delimiter, newline: lineEnding }).data as string[][];
      assertEquals(read.slice(0, -1), rows);
    }),
    { numRuns: 50 },
  );
});

for (const options of [{}, { trim: true, comment: ";" }]) {
  const more = Object.keys(options).length === 0 ? {} : {
    ...{ relax_column_count: true, trim: true, comment: ";", comment_no_infix: true },
  };
  test(`any text is read as csv-parse reads it, or refused with a reason: ${JSON.stringify(options)}`, async () => {
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        // It takes a comment's end for the end of a row, and other blanks than ours for blanks.
        fc.pre(!("trim" in options && text.includes("\ufeff")));
        let expected: string[][] | undefined;
        try {
          expected = parse(text, {
            ...{ bom: true, skip_empty_lines: true, relax_quotes: true, ...more },
            record_delimiter: ["\r\n", "\n", "\r"],
          });
        } catch {
          // It refuses what is no CSV, too.
        }
        const { chunks, error } = await outcomeOf(() => parseCsv({ ...arrays, ...options }), [
          text,
        ]);
        if (error === undefined) assertEquals(chunks, expected, JSON.stringify(text));
        // It takes text after a closing quote for a field that was not quoted.
        else if (expected !== undefined && !("trim" in options)) {
          assert(error.includes("closing quote"), error);
        }
      }),
      { numRuns: draws(300) },
    );
  });
}

test("wherever text or bytes are cut, rows, problems and errors are the same", async () => {
  const options = fc.record({
    header: fc.boolean(),
    relax: fc.boolean(),
    quote: fc.constantFrom('"', ""),
    comment: fc.constantFrom("", ";"),
    trim: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(odd, options, async (text, options) => {
      const run = async (source: (string | Uint8Array)[]) => {
        const problems: CsvProblem[] = [];
        const relax = options.relax && ((problem: CsvProblem) => void problems.push(problem));
        const make = () => parseCsv({ ...options, relax });
        return { ...await outcomeOf(make, source), problems };
      };
      const bytes = encoder.encode(text);
      const whole = await run([text]);
      assertEquals(await run([bytes]), whole);
      for (const chunks of cutsOf(text)) assertEquals(await run(chunks), whole);
      for (const chunks of cutsOf(bytes)) assertEquals(await run(chunks), whole);
    }),
    { numRuns: 40 },
  );
});

test("a comment is a line, blanks are those around fields", async () => {
  const comment = "#";
  assertEquals(await rowsOf('#x\na,b\r\n# "\r1,#2\n#', { comment }), [{ a: "1", b: "#2" }]);
  assertEquals(await rowsOf('"#a"\n "#b"\n', { ...arrays, comment }), [["#a"], [' "#b"']]);
  assertEquals(await rowsOf("#a\n", arrays), [["#a"]]);
  const trim = true;
  const spaced = ' a\t, "b c " ,d e\n  \n#f\n  #g, " ""h""\t", \n';
  assertEquals(await rowsOf(spaced, { ...arrays, trim, relax: true }), [
    ...[["a", "b c ", "d e"], ["#f"], ["#g", ' "h"\t', ""]],
  ]);
  assertEquals(await rowsOf(spaced, { trim, comment, columns: ["b c "] }), []);
  assertEquals(await rowsOf("a\tb\t c\n", { ...arrays, trim, delimiter: "\t" }), [["a", "b", "c"]]);
  assertEquals(await rowsOf('"a" "b" ,c\n', { ...arrays, trim, relax: true }), [['"a" "b"', "c"]]);
  await assertRejects(() => rowsOf("a\n#\n#\n1,2\n", { comment }), SyntaxError, "line 4, column 1");
  await assertRejects(() => rowsOf('a\n "1" 2\n', { trim }), SyntaxError, "line 2, column 6");
  const { chunks } = await outcomeOf(() => parseCsv({ comment, maxRowLength: 4 }), [
    "#2345678\na\n1\n",
  ]);
  assertEquals(chunks, [{ a: "1" }]);
  await assertRejects(
    () => rowsOf(`${" ".repeat(9)}a\n`, { trim, maxRowLength: 9 }),
    RangeError,
    "maxRowLength 9",
  );
});

test("what is not UTF-8 is read as TextDecoder reads it, wherever it is cut", async () => {
  const bytes = fc.array(
    fc.constantFrom(
      0x61,
      0x80,
      0xbf,
      0xc3,
      0xa9,
      0xe2,
      0x82,
      0xac,
      0xed,
      0xa0,
      0xf0,
      0x9f,
      0xff,
      0xef,
      0xbb,
    ),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (list) => {
      const whole = Uint8Array.from(list);
      const text = new TextDecoder().decode(whole);
      const expected = text === "" ? [] : [[text]];
      for (const chunks of cutsOf(whole)) {
        assertEquals(await toArray(chunks, parseCsv(arrays)), expected);
      }
    }),
    { numRuns: draws(80) },
  );
});

test("rows end at a feed, a return or both, and the last one need not", async () => {
  assertEquals(await rowsOf("a,b\n1,2\r3,4\r\n5,6", arrays), [
    ...[["a", "b"], ["1", "2"], ["3", "4"], ["5", "6"]],
  ]);
  assertEquals(await rowsOf('\n\r\n\na\n\n""\n\n', arrays), [["a"], [""]]);
  assertEquals(await rowsOf("a,\n", arrays), [["a", ""]]);
  assertEquals(await rowsOf("a,", arrays), [["a", ""]]);
  assertEquals(await rowsOf("", arrays), []);
  assertEquals(await rowsOf("a,b\r\n"), []);
});

test("a byte order mark at the start is left out, one within a quoted field is text", async () => {
  assertEquals(await rowsOf("\ufeffid\n\ufeff1\n"), [{ id: "\ufeff1" }]);
  assertEquals(await rowsOf('\ufeff"\ufeffid"\n1\n'), [{ "\ufeffid": "1" }]);
  assertEquals(await rowsOf("\ufeff"), []);
  assertEquals(
    await toArray([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 0x61)], parseCsv(arrays)),
    [["a"]],
  );
});

test("columns choose by name and make values; without a header they name the fields", async () => {
  const text = "id,name,__proto__\n1,Ann,x\n";
  assertEquals(await rowsOf(text, { columns: { name: String, id: Number } }), [
    { name: "Ann", id: 1 },
  ]);
  assertEquals(await rowsOf(text, { columns: ["name"] }), [{ name: "Ann" }]);
  assertEquals(await rowsOf("1,Ann\n", { header: false, columns: ["id", "name"] }), [
    { id: "1", name: "Ann" },
  ]);
  const [row] = await rowsOf(text) as [object];
  assertEquals(Object.entries(row), [["id", "1"], ["name", "Ann"], ["__proto__", "x"]]);
  assertEquals(Object.getPrototypeOf(row), Object.prototype);
  await assertRejects(
    () => rowsOf(text, { columns: ["city"] }),
    SyntaxError,
    'line 1, column 1: there is no column "city"',
  );
  const reason = { no: "error" };
  const columns = {
    id: () => {
      throw reason;
    },
  };
  const failed = await rowsOf(text, { columns }).catch((error) => ({ error }));
  assert((failed as { error: unknown }).error === reason);
});

const wrong: readonly (readonly [string, number, number, string])[] = [
  ["a,b\n1\n", 2, 1, "the row has 1 field, 2 expected"],
  ['a,b\n"1\n2",3,4\n', 2, 1, "the row has 3 fields, 2 expected"],
  ['a,b\n1,"x"y\n', 2, 6, "a quoted field goes on after its closing quote"],
  ['a,b\n"1\n2","x"y\n', 3, 7, "a quoted field goes on after its closing quote"],
  ['a,b\n1,"x\ny', 2, 3, "a quoted field does not end"],
  ["a,a\n1,2\n", 1, 1, 'the column "a" is there twice'],
];

for (const [text, line, column, message] of wrong) {
  test(`refused, or let pass and told: ${JSON.stringify(text)}`, async () => {
    await assertRejects(
      () => rowsOf(text),
      SyntaxError,
      `Cannot parse CSV: line ${line}, column ${column}: ${message}`,
    );
    const problems: CsvProblem[] = [];
    const relax = (problem: CsvProblem) => void problems.push(problem);
    await rowsOf(text, { relax });
    assertEquals(problems[0], { line, column, message });
    assertEquals(await rowsOf(text, { relax: true }), await rowsOf(text, { relax: () => {} }));
  });
}

test("what is let pass loses as little as can be", async () => {
  const relax = true;
  assertEquals(await rowsOf("a,b\n1\n1,2,3\n", { relax }), [
    { a: "1" },
    { a: "1", b: "2" },
  ]);
  const columns = { c: String, a: Number };
  assertEquals(await rowsOf("a,b,c\n1\n1,2\n1,2,3\n", { relax, columns }), [
    ...[{ a: 1 }, { a: 1 }, { c: "3", a: 1 }],
  ]);
  assertEquals(await rowsOf("1\n", { relax, header: false, columns }), [{ c: "1" }]);
  const [row] = await rowsOf("__proto__,b\nx\n", { relax }) as [object];
  assertEquals(Object.entries(row), [["__proto__", "x"]]);
  assertEquals(await rowsOf("a,b\n1\n1,2,3\n", { ...arrays, relax }), [
    ...[["a", "b"], ["1"], ["1", "2", "3"]],
  ]);
  assertEquals(await rowsOf('x"y,"a"b"c\n', { ...arrays, relax }), [['x"y', '"a"b"c']]);
  assertEquals(await rowsOf('"a""b"c,"d"\n', { ...arrays, relax }), [['"a""b"c', "d"]]);
  assertEquals(await rowsOf('a,"b\nc', { ...arrays, relax }), [["a", "b\nc"]]);
  assertEquals(await rowsOf("a,a,a_2\n1,2,3\n", { relax }), [{ a: "1", a_3: "2", a_2: "3" }]);
  assertEquals(await rowsOf("c,c,c,c_2\n1,2,3,4\n", { relax }), [
    { c: "1", c_3: "2", c_4: "3", c_2: "4" },
  ]);
});

test("short rows under a wide header take time and memory for what they have", async () => {
  const count = 16_384;
  const header = Array.from({ length: count }, (_, index) => index.toString(36)).join(",");
  let fields = 0;
  const options: ParseCsvOptions[] = [{}, { columns: header.split(",").reverse() }];
  for (const more of options) {
    await pipeline(
      [`${header}\n${"a\n".repeat(4096)}`],
      parseCsv({ ...more, relax: true }),
      (row: unknown) => {
        fields += Object.keys(row as object).length;
      },
    );
  }
  assertEquals(fields, 2 * 4096);
});

test("doubled quotes are one text, wherever limits and cuts are", async () => {
  const quotes = '"'.repeat(2_000_000);
  const before = process.memoryUsage().heapUsed;
  let held = 0;
  function* chunks() {
    yield '"';
    for (let count = 0; count < 4; count++) yield quotes;
    held = process.memoryUsage().heapUsed - before;
    yield '"\n';
  }
  const [row] = await toArray(chunks(), parseCsv(arrays));
  assertEquals(row![0]!.length, 4_000_000);
  assert(held < 60 * 2 ** 20, `${held} bytes for 4 MB`);
  for (const text of ['"a""""b"",""",c', '"""""""', '"a""b']) {
    for (let limit = 1; limit < 12; limit++) {
      const make = () =>
        parseCsv({
          ...arrays,
          relax: true,
          maxFieldLength: limit,
          maxRowLength: 2 * limit - 3 || 1,
        });
      const whole = await outcomeOf(make, [text]);
      for (const chunks of cutsOf(text)) assertEquals(await outcomeOf(make, chunks), whole);
    }
  }
});

test("a file without a header has none of the columns that must be there", async () => {
  for (const relax of [true, false]) {
    for (const text of ["", "\n\n"]) {
      await assertRejects(
        () => rowsOf(text, { columns: ["id", "name"], relax }),
        SyntaxError,
        'line 1, column 1: there is no column "id"',
      );
    }
  }
  assertEquals(await rowsOf("", { header: false, columns: ["id"] }), []);
});

test("a field or a row that is too long fails before its end has been seen", async () => {
  for (const text of ["a,bbbb\n", 'a,"bbbb"\n', "a,bbbb", 'a,"bbbb']) {
    for (const chunks of cutsOf(text)) {
      await assertRejects(
        () => toArray(chunks, parseCsv({ ...arrays, maxFieldLength: 3 })),
        RangeError,
        "line 1: a field is longer than maxFieldLength 3",
      );
    }
  }
  for (const text of ["x\na,b,c,d\n", 'x\n"a\nb",c', "x\n,,,,,,,", "x\naaaaaaaaa"]) {
    for (const chunks of cutsOf(text)) {
      await assertRejects(
        () => toArray(chunks, parseCsv({ ...arrays, relax: true, maxRowLength: 6 })),
        RangeError,
        "line 2: a row is longer than maxRowLength 6",
      );
    }
  }
  assertEquals(await rowsOf('aaa,b\r\n"ccc",\n', { ...arrays, maxRowLength: 6 }), [
    ...[["aaa", "b"], ["ccc", ""]],
  ]);
  let pulls = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulls++;
      controller.enqueue(`${pulls === 1 ? '"' : ""}${"a".repeat(65_536)}`);
    },
  }, { highWaterMark: 0 });
  await assertRejects(() => toArray(endless, parseCsv()), RangeError, "maxRowLength 16777216");
  assert(pulls <= 258, `${pulls} pulls`);
});

test("a header of too many names fails, also where names may be the same", async () => {
  const maxColumns = 3;
  for (const relax of [true, false]) {
    await assertRejects(
      () => rowsOf("a,b,c,d\n", { relax, maxColumns }),
      RangeError,
      "line 1: the header has more than maxColumns 3",
    );
    await assertRejects(
      () => rowsOf(`${",".repeat(20_000)}\n`, { relax }),
      RangeError,
      "maxColumns 16384",
    );
  }
  assertEquals(await rowsOf("a,b,c\n1,2,3\n", { maxColumns }), [{ a: "1", b: "2", c: "3" }]);
});

test("rows come with the chunk that ends them, and a stage serves several streams", async () => {
  const stage = parseCsv(arrays);
  const [one, two] = [new TransformStream(stage), new TransformStream(stage)];
  const [writer, other] = [one.writable.getWriter(), two.writable.getWriter()];
  const [reader, otherReader] = [one.readable.getReader(), two.readable.getReader()];
  void writer.write("a,b\nc,");
  void other.write('"x\n');
  assertEquals((await reader.read()).value, ["a", "b"]);
  void writer.write("d\n");
  void other.write('y",z\n');
  assertEquals((await reader.read()).value, ["c", "d"]);
  assertEquals((await otherReader.read()).value, ["x\ny", "z"]);
});

test("a huge chunk gives the event loop its turn, bytes that the source changes then do not matter", async () => {
  const text = "aaaa,bbbb\n".repeat(400_000);
  const bytes = encoder.encode(text);
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
    bytes.fill(0x78);
  });
  let rows = 0;
  try {
    await pipeline([bytes], parseCsv(arrays), ([a, b]: string[]) => {
      if (a === "aaaa" && b === "bbbb") rows++;
    });
  } finally {
    clearInterval(timer);
  }
  assertEquals(rows, 400_000);
  assert(turns > 0);
});

test("what is neither text nor bytes, or both, is refused", async () => {
  const refused = (chunks: unknown[], message: string) =>
    assertRejects(() => toArray(chunks as string[], parseCsv()), TypeError, message);
  await refused([1], "Cannot parse CSV: a chunk must be a Uint8Array or a string, got 1");
  await refused(["a", encoder.encode("b")], "chunks must be all bytes or all text");
});

test("wrong options are refused", () => {
  const create = (options: unknown) => () => void parseCsv(options as object);
  assertThrows(create({ headers: true }), TypeError, 'unknown option "headers"');
  assertThrows(create({ header: 1 }), TypeError, "header must be a boolean, got 1");
  for (const delimiter of ["", ",,", "\n", "\r", "\ufeff"]) {
    assertThrows(create({ delimiter }), RangeError, "delimiter must be one character");
  }
  assertThrows(create({ delimiter: 1 }), TypeError, "delimiter must be one character");
  assertThrows(create({ quote: '""' }), RangeError, "quote must be one character or none");
  assertThrows(create({ quote: "," }), RangeError, "delimiter and quote must differ");
  assertThrows(create({ columns: [] }), RangeError, "columns must have a name");
  assertThrows(create({ columns: "a" }), TypeError, "columns must be an array of names");
  assertThrows(create({ columns: ["a", "a"] }), RangeError, 'got "a" twice');
  assertThrows(create({ columns: [1] }), TypeError, "a column must be a string, got 1");
  assertThrows(create({ columns: { a: 1 } }), TypeError, 'columns["a"] must be a function');
  assertThrows(
    create({ header: false, columns: { 1: Number } }),
    RangeError,
    "no column may be a number, got 1",
  );
  assertThrows(create({ comment: "//" }), RangeError, "comment must be one character or none");
  assertThrows(
    create({ comment: "," }),
    RangeError,
    "comment must differ from delimiter and quote",
  );
  assertThrows(create({ trim: 1 }), TypeError, "trim must be a boolean, got 1");
  assertThrows(create({ relax: "yes" }), TypeError, "relax must be a boolean or a function");
  assertThrows(create({ maxFieldLength: 0 }), RangeError, "maxFieldLength must be a positive");
  assertThrows(create({ maxRowLength: -1 }), RangeError, "maxRowLength must be a positive");
});

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
  const dangerous = ["=1+1", "+1", "-1", "@a", "\t=1", "\r1", " =1", "\ufeff=1", "＝1", "\0=1"]
    .concat(["\t1", "\n=1", "\r\n\t@a"]);
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

/** What a header may begin with. */
const titles = fc.constantFrom("c0", "1", "\\.", "\ufeffid");
const looks = fc.record({ quoteAll: fc.boolean(), header: fc.boolean() });

test("PostgreSQL reads what formatCsv writes as it was", { skip }, async () => {
  const sql = postgres(address!, { max: 1, onnotice() {} });
  try {
    await fc.assert(
      fc.asyncProperty(tables, titles, looks, async (rows, title, look) => {
        const names = rows[0]!.map((_, at) => `c${at}`);
        const types = names.map((name) => `${name} text`);
        await sql.unsafe("DROP TABLE IF EXISTS written");
        await sql.unsafe(`CREATE TEMP TABLE written (n serial, ${types})`);
        const copy = `COPY written (${names}) FROM STDIN (FORMAT csv, HEADER ${look.header})`;
        const sink = await sql.unsafe(copy).writable();
        const columns = [title, ...names.slice(1)];
        sink.end(await toText(rows, formatCsv({ ...look, columns: columns })));
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

test("a text is a formula in parts if it is one as a whole", () => {
  const part = fc.string({ unit: fc.constantFrom(..." \t\r\n\0\ufeff\u3000=+＝a'"), maxLength: 3 });
  fc.assert(fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
    assertEquals(isFormulaInParts(parts), isFormula(parts.join("")));
  }));
});

test("no more parts are read than tell", () => {
  const read: string[] = [];
  const parts = function* () {
    for (const part of ["  ", "a", "="]) {
      read.push(part);
      yield part;
    }
  };
  assertEquals([isFormulaInParts(parts()), read], [false, ["  ", "a"]]);
});
