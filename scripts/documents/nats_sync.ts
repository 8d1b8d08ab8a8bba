import { readFileSync } from "node:fs";
import type { SyncRow } from "../bench_nats_sync/sync_row.ts";
import { wrapProse } from "./wrap_prose.ts";

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

/** What syncing each message costs, from rows of `deno task bench:nats-sync`. */
export function natsSyncSentence(rows: readonly SyncRow[]): string {
  const secondsOf = (
    callSize: number,
    syncInterval: SyncRow["syncInterval"],
    name: "sendSeconds" | "receiveSeconds",
  ) =>
    middle(
      rows.filter((row) => row.callSize === callSize && row.syncInterval === syncInterval)
        .map((row) => row[name]),
    );
  const times = (callSize: number, name: "sendSeconds" | "receiveSeconds") =>
    (secondsOf(callSize, "always", name) / secondsOf(callSize, "default", name)).toFixed(1);
  const [{ machine, commit, startedAt }] = rows as [SyncRow];
  const rounds = new Set(rows.map(({ round }) => round)).size;
  return wrapProse(
    `Here \`send\` takes ${times(1, "sendSeconds")} times as long then with one message a call, ` +
      `${times(100, "sendSeconds")} times with 100, and to receive and acknowledge messages ` +
      `${times(100, "receiveSeconds")} times: medians of ${rounds} rounds of ` +
      `\`deno task bench:nats-sync\` with one server on ${machine.cpu}, ${machine.cores} cores, ` +
      `${machine.os}, ${startedAt.slice(0, 10)}, commit ${commit?.slice(0, 7) ?? "unknown"}. ` +
      `Another disk gives other figures.`,
  );
}

/** The sentence of the committed rounds. */
export function natsSync(): string {
  const text = readFileSync(new URL("../bench_nats_sync/rows.jsonl", import.meta.url), "utf8");
  return natsSyncSentence(text.trim().split("\n").map((line) => JSON.parse(line) as SyncRow));
}
