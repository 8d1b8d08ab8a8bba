import { map, pipeline as runPipeline } from "../../../mod.ts";
import { Consumer, messages, perMessage, stored } from "../../../src/queue/mod.ts";
import type { RunConsumeJob } from "../job.ts";

export const pipeline: RunConsumeJob = async (
  { count, batchSize, maxInFlight, queue, work, save },
) => {
  const consumer = new Consumer(queue, { maxInFlight });
  let left = count;
  const workAndCount = (body: string): number => {
    // As the loop by hand, it knows when no more comes, and so waits for none to fill the last batch.
    if (--left === 0) consumer.stop();
    return work(body);
  };
  await runPipeline(
    messages(consumer),
    perMessage(map(workAndCount)),
    stored(consumer, save, { batchSize, concurrency: 2 }),
  );
};
