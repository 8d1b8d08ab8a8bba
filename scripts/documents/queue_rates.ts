import { contestants } from "../../bench/queues/contestants.ts";
import { describeRows } from "../bench_queues/describe_rows.ts";
import type { QueueRow } from "../bench_queues/queue_row.ts";
import { readRows } from "../rows/rows_file.ts";
import { bullet } from "./bullet.ts";
import { measuredOn } from "./measured_on.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

/** What queues do a second, from rows of `deno task dev bench-queues`: medians, where they are from, and who is who. */
export function queueRatesTable(rows: readonly QueueRow[]): string {
  const groups = Map.groupBy(rows, ({ workers, contestant }) => `${contestant}, ${workers}`);
  const samples = new Set([...groups.values()].map(({ length }) => length));
  const [{ messages, runtime }] = rows as [QueueRow];
  const provenance = wrapProse(
    `Medians of ${[...samples].join(" or ")} runs in ${runtime}, ` +
      `${messages.toLocaleString("en-US")} messages each, on ${measuredOn(rows)}.`,
  );
  const list = Object.entries(contestants).map(([name, { about }]) =>
    bullet(`\`${name}\`: ${about}`)
  );
  return `${describeRows(rows)}\n\n${provenance}\n\n${list.join("\n")}`;
}

/** The table of the committed rows. */
export function queueRates(): string {
  return queueRatesTable(readRows(new URL("../bench_queues/rows.jsonl", import.meta.url)));
}
