import process from "node:process";
import { hideSecrets } from "../secrets/hide_secrets.ts";
import type { WorkerJob, WorkerReport } from "./worker_job.ts";
import { setTimeout as wait } from "node:timers/promises";
import { pipeline } from "../../mod.ts";
import { Consumer, messages, type Output, perMessage, stored } from "../../src/queue/mod.ts";
import { inWorkers } from "../../src/workers/mod.ts";
import { openBroker } from "./broker.ts";
import { type OrderLine, OrderStore } from "./order_store.ts";
import { die, orderStages } from "./order_stages.ts";

const reportEveryMs = 100;

/** Works on messages until `signal` aborts; tells how it goes. */
async function runWorker(
  job: WorkerJob,
  signal: AbortSignal,
  report: (report: WorkerReport) => void,
): Promise<void> {
  const { faults = {}, concurrency, batchSize } = job;
  const { maxInFlight, leaseMs, drainMs, retryDelayMs, maxFailures } = job;
  const store = new OrderStore(job.store);
  const broker = await openBroker(job.broker, { leaseMs });
  const outages = new Map<string, unknown>();
  let noted = Promise.resolve();
  const consumer = new Consumer(broker.queue, {
    ...{ maxInFlight, leaseMs, drainMs, retryDelayMs, maxFailures, signal },
    onEvent(event) {
      if (event.kind === "outage") outages.set(event.of, event.reason);
      else if (event.kind === "recovery") outages.delete(event.of);
      else if (event.kind === "dead") {
        const { body } = event.message;
        const order = typeof body === "string" ? Number.parseInt(body) : NaN;
        // What is none is no gap in the store.
        if (!Number.isNaN(order)) noted = noted.then(() => store.noteDead(order));
      }
    },
  });

  let writes = 0;
  let [firstWriteAt, lastWriteAt]: (number | undefined)[] = [];
  const save = async (outputs: readonly Output<OrderLine>[]): Promise<void> => {
    if (faults.writeMs) await wait(faults.writeMs);
    // Not of a message that is worked on alone: it would pass for what kills.
    const isLast = ++writes >= (faults.killAfterWrite ?? Infinity) &&
      outputs.some(({ message }) => message !== outputs[0]!.message);
    await store.save(outputs, isLast);
    if (isLast) die();
    lastWriteAt = Date.now();
    firstWriteAt ??= lastWriteAt;
  };
  const { threads = 0 } = job;
  const work = threads === 0
    ? perMessage(...orderStages(faults))
    // A block is a message; a thread has one in work and another to begin with.
    : perMessage(
      inWorkers<typeof import("./order_stages.ts")>(
        new URL("./order_stages.ts", import.meta.url),
        { threads, options: faults, perBlock: true, blockSize: 1 },
      ),
      { concurrency: 2 * threads },
    );

  const tell = (isLast: boolean): void => {
    const { inFlight, acknowledged, nacked, failed, dead } = consumer.counts;
    report({
      ...{ inFlight, acknowledged, nacked, failed, dead, isLast, firstWriteAt, lastWriteAt },
      stored: store.stored,
      repeats: store.repeats,
      outage: outages.size === 0 ? undefined : [...outages.keys()].join(", "),
    });
  };
  tell(false);
  const timer = setInterval(tell, reportEveryMs, false);
  try {
    await pipeline(
      messages(consumer),
      work,
      stored(consumer, save, { concurrency, batchSize, maxWaitMs: 10 }),
    );
  } finally {
    clearInterval(timer);
    await consumer.close();
    await noted;
    tell(true);
    await broker.close();
    store.close();
  }
}

// A worker's process: `runConsume` starts it, reads what it says of itself, and asks it to end by SIGTERM.
const stopped = new AbortController();
process.on("SIGTERM", () => stopped.abort());
// It ends with the one that started it, whose end of this pipe closes then.
process.stdin.resume().once("end", () => process.exit(1)).once("error", () => process.exit(1));
const job = JSON.parse(process.argv[2]!) as WorkerJob;
const { broker } = job;
try {
  await runWorker(job, stopped.signal, (report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`);
  });
  process.exitCode = 0;
} catch (error) {
  console.error(hideSecrets(String((error as Error)?.message ?? error).split("\n")[0]!, [broker]));
  process.exitCode = 1;
}
// The pipe is still open; what was said is given time to leave.
process.stdout.write("", () => process.exit());
