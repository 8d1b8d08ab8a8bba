import { median } from "../../bench/results/statistics.ts";
import type { SyncRow } from "../bench_nats_sync/sync_row.ts";
import { readRows } from "../rows/rows_file.ts";
import { measuredOn } from "./measured_on.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

/** What syncing each message costs, from rows of `deno task bench:nats-sync`. */
export function natsSyncSentence(rows: readonly SyncRow[]): string {
  const secondsOf = (
    callSize: number,
    syncInterval: SyncRow["syncInterval"],
    name: "sendSeconds" | "receiveSeconds",
  ) =>
    median(
      rows.filter((row) => row.callSize === callSize && row.syncInterval === syncInterval)
        .map((row) => row[name]),
    );
  const times = (callSize: number, name: "sendSeconds" | "receiveSeconds") =>
    (secondsOf(callSize, "always", name) / secondsOf(callSize, "default", name)).toFixed(1);
  const rounds = new Set(rows.map(({ round }) => round)).size;
  return wrapProse(
    `Here \`send\` takes ${times(1, "sendSeconds")} times as long then with one message a call, ` +
      `${times(100, "sendSeconds")} times with 100, and to receive and acknowledge messages ` +
      `${times(100, "receiveSeconds")} times: medians of ${rounds} rounds of ` +
      `\`deno task bench:nats-sync\` with one server on ${measuredOn(rows)}. ` +
      `Another disk gives other figures.`,
  );
}

/** The sentence of the committed rounds. */
export function natsSync(): string {
  return natsSyncSentence(readRows(new URL("../bench_nats_sync/rows.jsonl", import.meta.url)));
}
