import { type QueueKind, queueKinds } from "../../scenarios/consume/faults/fault_place.ts";
import { faults } from "../../scenarios/consume/faults/faults.ts";
import { type FaultRun, readRows } from "../../scenarios/consume/faults/fault_run.ts";
import { bullet, markdownTable } from "./markdown_table.ts";

const names: Readonly<Record<QueueKind, string>> = {
  "sqlite": "SQLite",
  "postgres": "PostgreSQL",
  "redis": "Redis",
  "nats": "NATS",
  "nats-sync": "NATS, `sync_interval: always`",
  "kafka": "Kafka",
  "sqs": "SQS (fauxqs)",
};

const number = (value: number) => value.toLocaleString("en-US");

/** What faults did to queues, from the runs of `deno task dev consume-faults`: a table of sums, and their list. */
export function consumeFaultsTable(runs: readonly FaultRun[]): string {
  const sum = (of: readonly FaultRun[], value: (run: FaultRun) => number) =>
    number(of.reduce((all, run) => all + value(run), 0));
  const cells = (of: readonly FaultRun[]) => [
    `${of.length}`,
    sum(of, ({ messages }) => messages),
    sum(of, ({ kills }) => kills),
    sum(of, ({ harms }) => harms),
    sum(of, ({ repeats }) => repeats),
    sum(of, ({ lost }) => lost),
    sum(of, ({ doubled }) => doubled),
    sum(of, ({ dead }) => dead),
  ];
  const rows: string[][] = [];
  for (const [name] of Object.entries(faults)) {
    for (const queue of queueKinds) {
      const of = runs.filter((run) => run.fault === name && run.queue === queue);
      if (of.length > 0) rows.push([`\`${name}\`, ${names[queue]}`, ...cells(of)]);
    }
  }
  rows.push(["all", ...cells(runs)]);
  const head = [
    ...["fault and queue", "runs", "messages", "workers killed", "other harm", "repeats absorbed"],
    ...["lost", "stored twice", "healthy and dead"],
  ];
  const list = Object.entries(faults).map(([name, { about }]) => bullet(`\`${name}\`: ${about}`));
  return `${markdownTable(head, rows)}\n\n${list.join("\n")}`;
}

/** The table of the committed runs. */
export function consumeFaults(): string {
  return consumeFaultsTable(
    readRows<FaultRun>(new URL("../../scenarios/consume/faults/runs.jsonl", import.meta.url)),
  );
}
