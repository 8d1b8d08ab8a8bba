import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  workerdContestants,
  workerdMarks,
  workerdStages,
} from "../../../../bench/workerd/workerd_result.ts";
import { workerdTable } from "../../../../scripts/documents/bench/workerd_table.ts";

test("each row has the range of ratios, round by round", () => {
  const ns = { web: [300, 100], pipeline: [100, 50], fuse: [150, 50] } as const;
  const rows = workerdContestants.flatMap((contestant) =>
    workerdStages.flatMap((stages) =>
      workerdMarks.map((marks) => ({ contestant, stages, marks, nsPerChunk: ns[contestant] }))
    )
  );
  const table = workerdTable({ version: "2026-01-01", chunks: 10, rows });
  assertStringIncludes(table, "workerd 2026-01-01");
  assertStringIncludes(table, "in 2 rounds");
  const lines = table.split("\n").filter((line) => /^\| \d/.test(line));
  assertEquals(lines.length, workerdStages.length * workerdMarks.length);
  for (const line of lines) {
    assertEquals(line.split("|").slice(2, 4).map((cell) => cell.trim()), ["2 to 3", "2"]);
  }
});

test("without results it says how to have them", () => {
  assert(/^Not measured: `deno run -A bench\/workerd\//.test(workerdTable(null)));
});
