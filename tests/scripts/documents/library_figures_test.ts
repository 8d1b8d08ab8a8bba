import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import type { RuntimeName } from "../../../runtimes/current_runtime.ts";
import type { ResultFile, Row } from "../../../bench/results/result.ts";
import { libraryFigures } from "../../../scripts/documents/library_figures.ts";
import { makeRow } from "../../bench/results/_make_row.ts";

function row(contestant: string, passes: number, median: number, runtime: RuntimeName): Row {
  const runtimeVersion = runtime === "deno" ? "2.9.6" : "26.0.0";
  return makeRow({
    ...{ workload: "copy_lines", contestant, params: { passes }, samples: [median], chunks: 1000 },
    ...{ runtime, runtimeVersion },
  });
}

const results: ResultFile = {
  schema: 1,
  commit: "0123456789abcdef",
  dirty: false,
  startedAt: "2026-11-21T10:00:00.000Z",
  elapsedMs: 1,
  machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" },
  seed: 4,
  profile: "standard",
  complete: true,
  rows: [
    row("hand", 0, 20, "node"),
    row("pipeline", 0, 30, "node"),
    row("pipeline", 100, 31, "node"),
    row("pipeline", 300, 33, "node"),
    row("pipeline-varied", 0, 30, "node"),
    row("pipeline-varied", 300, 36, "node"),
    row("pipeline-raw", 0, 30, "node"),
    row("pipeline-raw", 300, 240.3, "node"),
    row("fuse", 0, 24, "node"),
    row("fuse", 100, 41.85, "node"),
    row("fuse", 300, 23, "node"),
    row("fuse-batched", 0, 24, "node"),
    row("fuse-batched", 100, 31, "node"),
    row("fuse-batched", 300, 27, "node"),
    row("pull-stream", 0, 10, "node"),
    row("pull-stream", 300, 164.9, "node"),
    row("web", 0, 100, "node"),
    row("web", 100, 1550, "node"),
    row("web", 300, 3100, "node"),
    row("node", 100, 310, "node"),
    row("pipeline", 0, 30, "deno"),
    row("hand", 0, 25, "deno"),
    {
      ...{ workload: "copy_lines", contestant: "web", params: { passes: 100 } },
      ...{ runtime: "deno", runtimeVersion: "2.9.6", error: "timed out" },
    },
    row("pipeline", 100, 62, "deno"),
    makeRow({ workload: "passthrough", contestant: "pipeline", runtime: "bun" }),
  ],
};

const expected = `
What one of 300 do-nothing stages adds for each chunk, in nanoseconds:

|                   |   deno 2.9.6 |  node 26.0.0 |
| ----------------- | -----------: | -----------: |
| \`pipeline\`        | not measured |         10.0 |
| \`pipeline-varied\` | not measured |         20.0 |
| \`pipeline-raw\`    | not measured |          701 |
| \`fuse\`            | not measured |         0.00 |
| \`fuse-batched\`    | not measured |         10.0 |
| \`pull-stream\`     | not measured |          516 |
| \`node\`            | not measured | not measured |
| \`web\`             | not measured |        10000 |

Ratios of times, beside what is asked of them:

|                                         |   bar |   deno 2.9.6 |   node 26.0.0 |
| --------------------------------------- | ----: | -----------: | ------------: |
| \`pipeline\`: 300 stages / 0              |   ≤ 3 | not measured |          1.10 |
| \`pipeline-raw\`: 300 stages / 0          |   ≤ 8 | not measured | 8.01 (missed) |
| \`pull-stream\` / \`pipeline\`, 300 stages  |   ≥ 5 | not measured | 5.00 (missed) |
| \`web\` / \`pipeline\`, 100 stages          |  ≥ 50 |       failed |          50.0 |
| \`node\` / \`pipeline\`, 100 stages         |  ≥ 10 | not measured |          10.0 |
| \`pipeline\` / \`hand\`, 0 stages           | ≤ 1.5 |         1.20 |          1.50 |
| \`fuse\` / \`pipeline\`, 0 stages           |   ≤ 2 | not measured |          0.80 |
| \`fuse\` / \`pipeline\`, 100 stages         | ≤ 1.3 | not measured | 1.35 (missed) |
| \`fuse-batched\` / \`pipeline\`, 100 stages | ≤ 1.3 | not measured |          1.00 |

Medians of one iteration; \`deno task bench --workload copy_lines --seed 4\` on Abacus, 2 cores, 8
GiB, Linux 6 x64, 2026-11-21 at commit 0123456.
`.trim();

test("libraryFigures holds each ratio of medians against its bar, per runtime", () => {
  assertEquals(libraryFigures(results), expected);
});

test("libraryFigures takes the most stages there are, and no other workload's rows", () => {
  const rows = [row("web", 0, 10, "node"), row("web", 100, 20, "node")];
  const text = libraryFigures({ ...results, rows });
  assertEquals(text.split("\n")[0], expected.split("\n")[0]!.replace("300", "100"));
  assertEquals(/`web` +\| +100 \|/.test(text), true);
});

test("libraryFigures refuses results without a row of copy_lines", () => {
  assertThrows(() => libraryFigures({ ...results, rows: [] }), Error, "run deno task bench first");
});
