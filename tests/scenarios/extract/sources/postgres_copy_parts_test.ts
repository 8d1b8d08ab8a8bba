import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";
import { CopiedRows } from "../../../../scenarios/extract/sources/copied_rows.ts";
import { copyChanges, type CopyMarks } from "../../../../scenarios/extract/sources/copy_values.ts";
import { CopySocket } from "../../../../scenarios/extract/sources/copy_socket.ts";
import { postgresCopy } from "../../../../scenarios/extract/sources/postgres.ts";
import {
  postgresTypes as t,
  postgresValue,
} from "../../../../scenarios/extract/sources/postgres_value.ts";

const { none, boolean, timestamp, timestamptz, formula, infinite } = copyChanges;
const marksOf = (...changes: number[]): CopyMarks => ({
  ...{ delimiter: 44, quote: 34, isQuoteKept: true, lineEnd: "\r\n" },
  changes: Uint8Array.from(changes),
});
const options = {
  ...{ isHeaded: false, placeIndex: undefined, keyIndexes: [], onRow() {}, onBadRow() {} },
};

function linesOf(marks: CopyMarks, ...rows: string[]): string {
  const made = new CopiedRows({ ...options, marks });
  for (const row of rows) {
    // Among others, as they come.
    const bytes = Buffer.from(`,"x${row}\n,"d`);
    made.add(bytes, 3, bytes.length - 3);
  }
  return made.take().map(({ text }) => Buffer.from(text as Uint8Array).toString()).join("");
}

test("fields become what we write, and all others stay as they are", () => {
  const cases: readonly [changes: number[], row: string, line: string][] = [
    [[none, none], 'a,"b,""c"', 'a,"b,""c"'],
    [[none, none], ",", ","],
    [[none, none], '"",""', '"",""'],
    [[none, none], '\ufeffa,"\ufeff,"', '"\ufeffa","\ufeff,"'],
    [[boolean, boolean], "t,f", "true,false"],
    [[boolean, boolean], '"t",', '"true",'],
    [[timestamptz, none], "2026-01-31 08:30:00.12+00,1", "2026-01-31T08:30:00.12Z,1"],
    [[timestamptz, none], '"2026-01-31 08:30:00+00",1', '"2026-01-31T08:30:00Z",1'],
    [
      [timestamptz, timestamptz],
      "infinity,0044-03-15 00:00:00+00 BC",
      "infinity,0044-03-15 00:00:00+00 BC",
    ],
    [[timestamp, timestamp], "2026-01-31 08:30:00,", "2026-01-31T08:30:00,"],
    [[formula, formula], "=1,a", "'=1,a"],
    [[formula, formula], '"=1,""","\r"', `"'=1,""","'\r"`],
    [[formula, formula], "\ufeff=1, -", "'\ufeff=1,' -"],
    [[formula, formula], '＠,"""="', `'＠,"""="`],
    [[formula, formula], "\\N,", "\\N,"],
    [[infinite, infinite], "-1.5,-Infinity", "-1.5,'-Infinity"],
    [[formula | timestamp, none], "-infinity,x", "'-infinity,x"],
  ];
  for (const [changes, row, line] of cases) {
    assertEquals(linesOf(marksOf(...changes), row, row), `${line}\r\n${line}\r\n`, row);
  }
});

test("a piece says where its last row lies, and its key, whatever the size of rows", () => {
  for (const length of [1, 500, 70_000, 200_000]) {
    const rows = new CopiedRows({
      ...{ ...options, marks: marksOf(none, none, none), placeIndex: 1, keyIndexes: [1, 2] },
      pieceBytes: 1_000,
    });
    const note = "n".repeat(length);
    for (let id = 1; id <= 40; id++) {
      const bytes = Buffer.from(`${note},${id},"k ""${id}"""\n`);
      rows.add(bytes, 0, bytes.length);
    }
    let count = 0;
    for (const piece of rows.take()) {
      count += piece.rows;
      assertEquals([piece.at, piece.key], [count, [`${count}`, `k "${count}"`]]);
      const text = piece.text as Uint8Array;
      assertEquals(piece.rows === 1 || text.length < 1_000 + length + 20 || count === 40, true);
      piece.release?.();
    }
    assertEquals([count, rows.count], [40, 40]);
  }
});

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

function message(kind: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(body));
  bytes.write(kind);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  bytes.write(body, 5);
  return bytes;
}

const before = [message("R", "authentication"), message("Z", "I"), message("d", "not a copy's")];
const rows = [message("d", "1,ü\n"), message("d", ""), message("d", `2,${"x".repeat(300)}\n`)];
const answer = [message("H", "copy"), ...rows, message("c", ""), message("C", "COPY 3\0")];
const after = [message("Z", "I"), message("d", "again no copy's")];

/** What the driver and the sink get of what comes in pieces that end at the places. */
function given(bytes: Buffer, ends: readonly number[], sentAt: number) {
  const socket = new CopySocket();
  const passed: Buffer[] = [];
  const taken: string[] = [];
  socket.on("data", (bytes: Buffer) => void passed.push(Buffer.from(bytes)));
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    if (start <= sentAt && end > sentAt) {
      socket.emit("data", bytes.subarray(start, sentAt));
      start = sentAt;
      socket.startCopy({
        add: (bytes, from, to) => void taken.push(bytes.toString("utf8", from, to)),
        onRows: () => void taken.push("-"),
        onCount: (count) => void taken.push(`${count} rows`),
      });
    }
    socket.emit("data", bytes.subarray(start, end));
    start = end;
  }
  socket.destroy();
  return { passed: Buffer.concat(passed), taken: taken.filter((one) => one !== "-") };
}

test("rows of a COPY go to the sink and all else to the driver, however the bytes are cut", () => {
  const bytes = Buffer.concat([...before, ...answer, ...after]);
  const sentAt = Buffer.concat(before).length;
  const others = [...before, answer[0]!, ...answer.slice(4), ...after];
  const expected = {
    passed: Buffer.concat(others),
    taken: ["1,ü\n", "", `2,${"x".repeat(300)}\n`, "3 rows"],
  };
  for (let cut = 1; cut < bytes.length; cut++) {
    assertEquals(given(bytes, [cut], sentAt), expected, `cut at ${cut}`);
    for (const more of [1, 2, 5, 40]) {
      if (cut + more >= bytes.length) continue;
      assertEquals(given(bytes, [cut, cut + more], sentAt), expected, `${cut} and ${more} more`);
    }
  }
  const each = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
  assertEquals(given(bytes, each, sentAt), expected);
});

test("the rows of a COPY that fails end with its error", () => {
  const failed = [answer[0]!, rows[0]!, message("E", "division by zero"), ...after];
  const { passed, taken } = given(Buffer.concat([...before, ...failed]), [60], 60);
  assertEquals(taken, ["1,ü\n"]);
  assertEquals(passed, Buffer.concat([...before, answer[0]!, failed[2]!, ...after]));
});

test("an encrypted connection is the driver's alone", () => {
  for (const [answered, canCopy] of [["S", false], ["N", true]] as const) {
    const socket = new CopySocket();
    const passed: string[] = [];
    socket.on("data", (bytes: Buffer) => void passed.push(bytes.toString()));
    socket.emit("data", Buffer.from(answered));
    socket.startCopy({ add() {}, onRows() {}, onCount() {} });
    socket.emit("data", message("d", "row"));
    assertEquals(socket.canCopy, canCopy);
    assertEquals(passed.length, canCopy ? 1 : 2);
    socket.destroy();
  }
});
