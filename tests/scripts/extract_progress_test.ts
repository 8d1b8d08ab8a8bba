import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ExtractProgress, type ProgressSpan } from "../../scenarios/extract/command.ts";

function show(
  isTTY: boolean,
  updates: readonly [atMs: number, rows: number, at: number | undefined][],
  whole: ProgressSpan = { span: { from: 0, to: 1_000 } },
) {
  const written: string[] = [];
  let nowMs = 1_000;
  const stream = { isTTY, write: (text: string) => written.push(text) };
  const progress = new ExtractProgress(stream, whole, () => nowMs);
  for (const [atMs, rows, at] of updates) {
    nowMs = 1_000 + atMs;
    progress.update(rows, rows * 2_048, at);
  }
  progress.clear();
  return written;
}

test("a terminal sees one line, at most five times a second, which then goes away", () => {
  assertEquals(show(true, [[100, 10, 1], [500, 100, 250], [600, 200, 300], [800, 400, 500]]), [
    "\r\x1b[2K100 rows, 200 KiB, 200 rows/s, 25 %, 2 s left",
    "\r\x1b[2K400 rows, 800 KiB, 500 rows/s, 50 %, 1 s left",
    "\r\x1b[2K",
  ]);
});

test("what is no terminal gets lines, every other second", () => {
  assertEquals(show(false, [[1_999, 10, 1], [2_000, 100, 0], [4_000, 200, 20]]), [
    "100 rows, 200 KiB, 50 rows/s, 0 %, ? left\n",
    "200 rows, 400 KiB, 50 rows/s, 2 %, 3 min 16 s left\n",
  ]);
});

test("what ends before it is time shows nothing", () => {
  assertEquals(show(true, [[199, 10, 1]]), []);
});

test("rows that are expected tell the share where there is no span; without either there is none", () => {
  assertEquals(
    show(true, [[1_000, 1_000, 3]], { expectedRows: 4_000 })[0],
    "\r\x1b[2K1000 rows, 2.0 MiB, 1000 rows/s, 25 %, 3 s left",
  );
  assertEquals(
    show(true, [[1_000, 1_000, undefined]], {})[0],
    "\r\x1b[2K1000 rows, 2.0 MiB, 1000 rows/s",
  );
});
