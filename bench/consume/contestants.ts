import type { Contestant } from "../measure/workload.ts";
import type { RunConsumeJob } from "./job.ts";

/** Every contestant of consume. */
export const contestants: readonly Contestant<RunConsumeJob>[] = [
  {
    name: "hand",
    about:
      "a loop on the same client: receives, stores and acknowledges, and no more than that; in SQS sqs-consumer, in Kafka eachBatch",
    note: "extends no lease, counts no failure, waits for no outage and has NATS confirm nothing",
    load: () => ({ byHand }) => byHand(),
  },
  {
    name: "each-message",
    about: "in Kafka: eachMessage of the same client, which stores one at a time",
    note: "commits after each 256 messages",
    takes: ({ broker }) => broker === "kafka",
    load: () => ({ byMessage }) => byMessage!(),
  },
  {
    name: "pipeline",
    about: "hosepipe: messages, perMessage over a map, stored",
    load: async () => {
      const { map, pipeline: runPipeline } = await import("../../mod.ts");
      const { Consumer, messages, perMessage, stored } = await import("../../src/queue/mod.ts");

      return async ({ count, batchSize, maxInFlight, queue, work, save }) => {
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
    },
  },
];
