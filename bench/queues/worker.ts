// A worker's process: says `ready`, works after `go`, tells how far it is, and what it measured after `end`.
import process from "node:process";
import { createInterface } from "node:readline";
import type { QueueContestant } from "./contestant.ts";
import { openStore } from "./open_store.ts";

/** What a worker says, a line of JSON each time. */
export interface WorkerSaid {
  readonly kind: "ready" | "count" | "end";
  /** Messages that it has stored. */
  readonly stored: number;
  /** CPU time since `go`, in microseconds. */
  readonly cpuMicroseconds: number;
  /** From send to stored, in milliseconds, since `latency`. */
  readonly latencies: readonly number[];
}

const [, , module, address, savesItself] = process.argv as string[];
const contestant = await import(new URL(module!, import.meta.url).href) as QueueContestant;
const opened = await contestant.open(address!);
const store = openStore(address!);
let [stored, isTimed, cpu] = [0, false, process.cpuUsage()];
const latencies: number[] = [];
const say = (kind: WorkerSaid["kind"]): void => {
  const { user, system } = process.cpuUsage(cpu);
  const said: WorkerSaid = {
    ...{ kind, stored, cpuMicroseconds: user + system },
    latencies: kind === "end" ? latencies : [],
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
};
let stop: (() => Promise<void>) | undefined;
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(1));
say("ready");
for await (const line of lines) {
  if (line === "go") {
    cpu = process.cpuUsage();
    stop = await opened.work(async (rows) => {
      if (savesItself !== "true") await store.save(rows);
      const now = Date.now();
      if (isTimed) { for (const { sentAt } of rows) latencies.push(now - sentAt); }
      stored += rows.length;
      say("count");
    });
  } else if (line === "latency") isTimed = true;
  else {
    await stop?.();
    say("end");
    await opened.close();
    await store.close();
    process.stdout.write("", () => process.exit());
  }
}
