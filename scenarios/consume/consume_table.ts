import type { QueueDepth } from "../../src/queue/mod.ts";
import type { WorkerReport } from "./worker_job.ts";

/** What is shown of a place at which a worker works. */
export interface TablePlace {
  readonly runtime: { readonly name: string };
  readonly process: { readonly report: WorkerReport | undefined };
  readonly stored: number;
  readonly repeats: number;
  readonly kills: number;
}

const everyMs = 200;
const number = (value: number) => value.toLocaleString("en");

/** The table as text: a line for each worker, and one for the queue. */
export function describeTable(places: readonly TablePlace[], depth: QueueDepth): string[] {
  const rows = places.map(({ runtime, process: { report }, stored, repeats, kills }, index) => [
    `${index + 1} ${runtime.name}`,
    report === undefined ? "starts" : number(report.inFlight),
    number(stored),
    number(repeats),
    number(kills),
    report?.outage === undefined ? "" : `waits for the ${report.outage}`,
  ]);
  const head = ["worker", "in flight", "lines stored", "repeats", "killed", ""];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length))
  );
  const toLine = (row: readonly string[]) =>
    row.map((cell, column) =>
      column === 0 || column === 5 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
    ).join("  ").trimEnd();
  const { waiting, leased, dead } = depth;
  return [
    ...[head, ...rows].map(toLine),
    `queue: ${number(waiting)} waiting, ${number(leased)} leased, ${number(dead)} dead`,
  ];
}

/** Shows the table on a terminal, in its place. */
export class ConsumeTable {
  readonly #stream: { write(text: string): unknown };
  #shownAtMs = -Infinity;
  #height = 0;

  constructor(stream: { write(text: string): unknown }) {
    this.#stream = stream;
  }

  update(places: readonly TablePlace[], depth: QueueDepth, nowMs = performance.now()): void {
    if (nowMs - this.#shownAtMs < everyMs) return;
    this.#shownAtMs = nowMs;
    const lines = describeTable(places, depth);
    const up = this.#height === 0 ? "" : `\x1b[${this.#height}A`;
    this.#stream.write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
    this.#height = lines.length;
  }

  /** Takes it away. */
  clear(): void {
    if (this.#height > 0) this.#stream.write(`\x1b[${this.#height}A\x1b[0J`);
    this.#height = 0;
  }
}
