import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ExtractProgress } from "../../scripts/extract/extract_progress.ts";

function show(isTTY: boolean, updates: readonly [atMs: number, rows: number, sentAtMs: number][]) {
  const written: string[] = [];
  let nowMs = 1_000;
  const stream = { isTTY, write: (text: string) => written.push(text) };
  const progress = new ExtractProgress(stream, { fromMs: 0, toMs: 1_000 }, () => nowMs);
  for (const [atMs, rows, sentAtMs] of updates) {
    nowMs = 1_000 + atMs;
    progress.update(rows, sentAtMs);
  }
  progress.clear();
  return written;
}

test("a terminal sees one line, at most five times a second, which then goes away", () => {
  assertEquals(show(true, [[100, 10, 1], [500, 100, 250], [600, 200, 300], [800, 400, 500]]), [
    "\r\x1b[2K100 rows, 200 rows/s, 25 % of the period, 2 s left",
    "\r\x1b[2K400 rows, 500 rows/s, 50 % of the period, 1 s left",
    "\r\x1b[2K",
  ]);
});

test("what is no terminal gets lines, every other second", () => {
  assertEquals(show(false, [[1_999, 10, 1], [2_000, 100, 0], [4_000, 200, 20]]), [
    "100 rows, 50 rows/s, 0 % of the period, ? left\n",
    "200 rows, 50 rows/s, 2 % of the period, 3 min 16 s left\n",
  ]);
});

test("what ends before it is time shows nothing", () => {
  assertEquals(show(true, [[199, 10, 1]]), []);
});
