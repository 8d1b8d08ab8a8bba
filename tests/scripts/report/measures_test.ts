import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  cellMarks,
  cellsHead,
  cellsOf,
  formatRange,
  pointOf,
} from "../../../scripts/report/measures.ts";
import { makeRow } from "../../bench/results/_make_row.ts";

test("a range has its unit once, unless its ends have two", () => {
  assertEquals(formatRange(1.5, 2), "1.50–2.00 ms");
  assertEquals(formatRange(0.95, 1.2), "950 µs – 1.20 ms");
});

test("a point is the median in seconds, its bar the quartiles; per chunk all are divided", () => {
  const row = makeRow({ contestant: "web", samples: [1, 2, 3, 4, 5], chunks: 10 });
  assertEquals(pointOf(row, 7, "time"), {
    ...{ api: "web", at: 7, value: 0.003, low: 0.002, high: 0.004 },
    text: "3.00 ms (2.00 ms to 4.00 ms)",
  });
  const { value, text } = pointOf(row, 7, "time per chunk");
  assertEquals([value, text], [0.0003, "300 µs (200 µs to 400 µs)"]);
});

test("cells have the median, the quartiles and how many, and per chunk what passes in a second", () => {
  const row = makeRow({ samples: [1000, 1000, 1000], chunks: 10, bytes: 2 ** 20 * 50 });
  assertEquals(cellsOf(row, "time per chunk"), [
    { text: "100 ms", details: ["50.0 MiB/s"] },
    { text: "100–100 ms" },
    { text: "3" },
  ]);
  const fast = { ...row, bytes: 2 ** 31 };
  assertEquals(cellsOf(fast, "time per chunk")[0]?.details, ["2.00 GiB/s"]);
  assertEquals(cellsOf(fast, "time")[0], { text: "1.00 s" });
  assertEquals(cellsHead("time").length, cellsOf(fast, "time").length);
});

test("a time within ten ticks of the clock and few samples are marked; a mean of many is not", () => {
  const short = { samples: [0.0005, 0.0006, 0.0007], timerTickMs: 1e-4 };
  assertEquals(cellMarks(makeRow(short)), "!");
  assertEquals(cellMarks(makeRow({ ...short, iterationsPerSample: 1000 })), "");
  assertEquals(cellMarks(makeRow({ samples: [5, 6] })), "?");
});
