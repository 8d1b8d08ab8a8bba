import { assertMatch } from "@std/assert";
import { test } from "node:test";
import { natsSyncSentence } from "../../../scripts/documents/nats_sync.ts";

test("the cost of syncing is that of the median round, for each size of calls", () => {
  const row = (
    syncInterval: "default" | "always",
    round: number,
    callSize: number,
    seconds: number,
  ) => ({
    ...{ syncInterval, round, callSize, messages: 1_000, sendSeconds: seconds },
    ...{ receiveSeconds: 2 * seconds + round, startedAt: "2026-01-31T08:30:00.000Z" },
    commit: "0123456789abcdef",
    machine: { cpu: "A", cores: 2, memoryGiB: 4, os: "B" },
  });
  const text = natsSyncSentence([1, 2, 3].flatMap((round) => [
    ...[row("default", round, 1, round), row("always", round, 1, 3 * round)],
    ...[row("default", round, 100, round), row("always", round, 100, 50 * round)],
  ]));
  const flat = text.replaceAll("\n", " ");
  assertMatch(flat, /takes 3\.0 times .* 50\.0 times with 100, .* messages 33\.7 times/);
  assertMatch(flat, /medians of 3 rounds .* commit 0123456\./);
});
