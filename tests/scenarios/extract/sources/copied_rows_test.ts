import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { CopiedRows } from "../../../../scenarios/extract/sources/copied_rows.ts";
import { copyChanges, type CopyMarks } from "../../../../scenarios/extract/sources/copy_marks.ts";

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
