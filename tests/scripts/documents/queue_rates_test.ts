import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { queueRates, queueRatesTable } from "../../../scripts/documents/queue_rates.ts";

const row = {
  ...{ contestant: "bullmq", runtime: "node", workers: 4, messages: 1_000, batchSize: 256 },
  ...{ cpuMicroseconds: 80.6, medianMs: 1, p99Ms: 3, startedAt: "2026-11-24T00:00:00.000Z" },
  ...{ commit: "0123456789", machine: { cpu: "A", cores: 2, memoryGiB: 8, os: "Linux" } },
};

test("the table of queues has the median of the runs, and says where they are from", () => {
  const text = queueRatesTable([9_000, 20_000, 10_000].map((perSecond) => ({ ...row, perSecond })));
  assertMatch(text, /\| bullmq, 4 +\| +10,000 \| +81 \| +1 \| +3 \|/);
  assertMatch(
    text,
    /Medians of 3 runs in node, 1,000 messages each, on A, 2 cores, Linux,\s2026-11-24/,
  );
});

test("each committed contestant has as many runs as the others", () => {
  assertEquals(queueRates().match(/Medians of \d+ runs/g)?.length, 1);
});
