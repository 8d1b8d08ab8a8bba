import { median } from "../../bench/results/statistics.ts";
import { markdownTable } from "../documents/markdown_table.ts";
import type { QueueRow } from "./queue_row.ts";

type Figures = Pick<
  QueueRow,
  "contestant" | "workers" | "perSecond" | "cpuMicroseconds" | "medianMs" | "p99Ms"
>;

/** The medians of the samples of each contestant and count of workers, as a table. */
export function describeRows(rows: readonly Figures[]): string {
  const groups = Map.groupBy(rows, ({ workers, contestant }) => `${contestant}, ${workers}`);
  const body = [...groups].map(([name, of]) => [
    name,
    Math.round(median(of.map(({ perSecond }) => perSecond))).toLocaleString("en-US"),
    median(of.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0),
    `${median(of.map(({ medianMs }) => medianMs))}`,
    `${median(of.map(({ p99Ms }) => p99Ms))}`,
  ]);
  return markdownTable(
    ["contestant, workers", "messages/s", "CPU µs a message", "median ms", "p99 ms"],
    body,
  );
}
