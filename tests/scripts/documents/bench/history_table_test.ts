import { assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  describeHistory,
  historyTable,
} from "../../../../scripts/documents/bench/history_table.ts";
import type { HistoryEntry } from "../../../../scripts/documents/bench/read_history.ts";
import { isMeasured } from "../../../../bench/results/result.ts";
import { makeRow } from "../../../bench/results/_make_row.ts";

function entryOf(
  runtime: "node" | "bun",
  version: string,
  cases: readonly (readonly [contestant: string, stages: number, ms: number])[],
): HistoryEntry {
  const rows = cases.map(([contestant, stages, ms]) =>
    makeRow({
      ...{ workload: "native_ends", contestant, runtime, chunks: 1_000 },
      ...{ params: { stages, chunks: 1_000 }, samples: [ms, ms, ms] },
    })
  );
  return { runtime, version, rows: rows.filter(isMeasured) };
}

const history = [
  entryOf("bun", "1.4.5", [["web", 1, 0.5], ["pipeline", 1, 0.25]]),
  entryOf("node", "24.1.0", [["web", 0, 1.5], ["web", 1, 2], ["pipeline", 1, 1]]),
  entryOf("node", "26.0.0", [["web", 1, 1.25]]),
];

test("a row for each version, in nanoseconds a chunk", () => {
  const rows = historyTable(history).split("\n").slice(2)
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assertEquals(rows, [
    ["bun 1.4.5", "–", "–", "500", "250", "–", "–"],
    ["node 24.1.0", "1,500", "–", "2,000", "1,000", "–", "–"],
    ["node 26.0.0", "–", "–", "1,250", "–", "–", "–"],
  ]);
});

test("the picture in words names what was measured", () => {
  assertEquals(
    describeHistory(history),
    "One stage between native ends, in nanoseconds a chunk, by version. " +
      "bun: 1.4 pipeThrough 500, 1.4 pipeline 250. " +
      "node: 24 pipeThrough 2000, 24 pipeline 1000, 26 pipeThrough 1250.",
  );
});

test("without results it says how to get them", () => {
  assertEquals(historyTable([]), "Not measured: `deno task bench --runtime-version` does.");
});
