import { assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { extractBesideTable } from "../../../scripts/documents/extract_beside.ts";

test("each round is compared with the own tool in that round", () => {
  const seconds = { "its own tool": [1, 2, 4], deno: [3, 2, 20], bun: [1, 2, 4], node: [2, 8, 8] };
  const rows = Object.entries(seconds).flatMap(([tool, rounds]) =>
    rounds.map((seconds, round) => ({
      ...{ job: "A table", tool, round, seconds, startedAt: "2026-01-31T08:30:00.000Z" },
      ...{ commit: "0123456789abcdef", machine: { cpu: "A", cores: 2, memoryGiB: 4, os: "B" } },
    }))
  );
  const text = extractBesideTable(rows);
  assertStringIncludes(
    text,
    "| A table |            2.00 s | 3.0 (1.0 to 5.0) | 1.0 (1.0 to 1.0) | 2.0 (2.0 to 4.0) |",
  );
  assertStringIncludes(text.replaceAll("\n", " "), "The median of 3 rounds");
});
