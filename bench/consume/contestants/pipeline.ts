import { map, pipeline as runPipeline } from "../../../mod.ts";
import { Consumer, messages, perMessage, stored } from "../../../src/queue/mod.ts";
import type { RunConsumeJob } from "../job.ts";

export const pipeline: RunConsumeJob = async ({ count, batchSize, queue, work, save }) => {
  const consumer = new Consumer(queue, { maxInFlight: 2 * batchSize });
  let left = count;
  await runPipeline(
    messages(consumer),
    perMessage(map(work)),
    stored(consumer, (outputs) => {
      save(outputs);
      if ((left -= outputs.length) === 0) consumer.stop();
    }, { batchSize, concurrency: 2 }),
  );
};
