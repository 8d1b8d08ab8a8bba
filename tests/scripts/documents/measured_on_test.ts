import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { measuredOn } from "../../../scripts/documents/measured_on.ts";

const row = (startedAt: string, commit: string | null) => ({
  ...{ startedAt, commit },
  machine: { cpu: "A", cores: 2, memoryGiB: 4, os: "B" },
});

test("each date and commit is named once, in their order", () => {
  const first = row("2026-01-31T08:30:00.000Z", "0123456789");
  assertEquals(measuredOn([first, first]), "A, 2 cores, B, 2026-01-31, commit 0123456");
  assertEquals(
    measuredOn([first, row("2026-02-01T08:30:00.000Z", "abcdefabcd"), row("2026-02-01T", null)]),
    "A, 2 cores, B, 2026-01-31 and 2026-02-01, commits 0123456, abcdefa, and unknown",
  );
});
