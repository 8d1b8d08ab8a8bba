import PQueue from "p-queue";
import { concurrency, type FlowJob, perSecond, type RunFlow } from "../job.ts";

/** Tasks that may wait: it has no backpressure of its own. */
const maxWaiting = 16;

async function readInner({ open, openInner, take }: FlowJob): Promise<void> {
  const queue = new PQueue({ concurrency });
  for await (const first of open()) {
    await queue.onSizeLessThan(1);
    void queue.add(async () => {
      for await (const value of openInner(first)) take(value);
    });
  }
  await queue.onIdle();
}

async function limit({ open, take }: FlowJob): Promise<void> {
  const queue = new PQueue({ concurrency: 1, intervalCap: perSecond, interval: 1000 });
  for await (const value of open()) {
    await queue.onSizeLessThan(maxWaiting);
    void queue.add(() => take(value));
  }
  await queue.onIdle();
}

export const pQueue: RunFlow = (job) => (job.kind === "inner" ? readInner : limit)(job);
