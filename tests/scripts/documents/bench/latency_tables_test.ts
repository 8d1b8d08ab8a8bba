import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { LatencyFile, LatencyRound } from "../../../../bench/latency/latency_result.ts";
import { growthTables, latencyTables } from "../../../../scripts/documents/bench/latency_tables.ts";

const round = (ms: number, nsPerStage: readonly number[], bytes?: number): LatencyRound => ({
  waits: {
    firstChunkMs: ms,
    highestPerSecond: 2e6,
    p50Ms: [ms / 1e3, ms / 1e2, ms],
    p99Ms: [ms, ms * 2, ms * 3],
  },
  costs: { nsPerStage, ...(bytes === undefined ? {} : { bytesPerChunk: bytes }) },
});

const file: LatencyFile = {
  runtimes: { node: "26.0.0", bun: "1.4.0", deno: "2.9.0" },
  rows: [
    {
      ...{ runtime: "node", contestant: "pipeline" },
      rounds: [
        round(3, [50, 10, 9, 8, 7], 700),
        round(1, [52, 12, 9, 8, 9], 710),
        round(2, [51, 11, 9, 8, 8], 720),
      ],
    },
    {
      ...{ runtime: "node", contestant: "rxjs" },
      rounds: [round(1, [9, 8, 7, 6]), round(1, [9, 8, 7, 6, 5]), round(1, [9, 8, 7, 6])],
    },
  ],
};

const rowOf = (text: string, name: string) =>
  text.split("\n").find((line) => line.startsWith(`| ${name} `))?.split("|").slice(1, -1)
    .map((cell) => cell.trim());

test("latency: medians of the rounds, with no bytes where the runtime does not tell", () => {
  const text = latencyTables(file);
  assertEquals(rowOf(text, "pipeline"), [
    ...["pipeline", "2.00 ms", "2.00 M", "2.00 µs, 2.00 ms", "20.0 µs, 4.00 ms"],
    ...["2.00 ms, 6.00 ms", "710 B"],
  ]);
  assertEquals(rowOf(text, "rxjs")?.at(-1), "–");
  assertStringIncludes(text, "Medians of 3 rounds");
});

test("growth: nanoseconds a stage, and where a chain fails in any round it says so", () => {
  const text = growthTables(file);
  assertEquals(rowOf(text, "pipeline"), [
    "pipeline",
    ...["51.0 ns", "11.0 ns", "9.00 ns", "8.00 ns", "8.00 ns"],
  ]);
  assertEquals(rowOf(text, "rxjs")?.slice(-2), ["6.00 ns", "overflows"]);
});
