import { test } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ResultFile, Row } from "../../../../bench/results/result.ts";
import { sweepTables } from "../../../../scripts/documents/bench/sweep_tables.ts";
import { makeRow } from "../../../bench/results/_make_row.ts";
import { reportResults } from "../../fixtures/report_results.ts";

const fromMemory = (contestant: string, chunkKiB: number, ms: number, rest = {}) =>
  makeRow({
    ...{ workload: "memory_to_null", contestant, samples: [ms, ms, ms] },
    params: { chunkKiB, highWaterMark: "default", amount: "1GiB", ...rest },
  });

const rows: Row[] = [
  fromMemory("web", 512, 9),
  fromMemory("web", 2, 700),
  fromMemory("hand", 2, 4),
  fromMemory("web", 4, 0, { highWaterMark: "low" }),
  fromMemory("web", 8, 0, { amount: "200chunks" }),
  makeRow({ workload: "file_to_null", contestant: "web", params: { fileKiB: 1024 } }),
  makeRow({
    ...{ workload: "file_to_null", contestant: "node", samples: [20_000] },
    params: { fileKiB: 1_048_576 },
  }),
  {
    ...{ workload: "file_to_file", contestant: "web", runtime: "node", runtimeVersion: "26.0.0" },
    ...{ params: { fileKiB: 1_048_576 }, error: "timed out" },
  },
];

const sweeps = (rows: readonly Row[]): ResultFile => ({
  ...reportResults,
  profile: "sweeps",
  rows,
});

test("sweeps show the largest amounts by size, controls first, and mark what was seen too rarely", () => {
  const text = sweepTables(sweeps(rows));
  const lines = text.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()).join(" | "));
  assertEquals(lines.filter((line) => !line.startsWith("-")), [
    "node 26.0.0 | 2 KiB | 512 KiB | file read | file copied",
    "hand | 4.00 ms | – | – | –",
    "node | – | – | 20.0 s (one run) | –",
    "web | 700 ms | 9.00 ms | – | failed",
  ]);
  assertStringIncludes(text, "`deno task bench --sweeps --seed 42`");
  assertMatch(text.replaceAll("\n", " "), /All 8 rows, .* at least 3 samples but 1, which say so/);
});

test("samples that were left out of the file count too", () => {
  const row = makeRow({ ...fromMemory("web", 2, 1), samples: [1, 2, 3], samplesTaken: 90 });
  const text = sweepTables(sweeps([row])).replaceAll("\n", " ");
  assertStringIncludes(text, "each of at least 90 samples");
});

test("results of another run say what measures the sweeps", () => {
  assertMatch(sweepTables(reportResults), /^Not measured in these results: .* --sweeps/);
});
