import type { Contestant } from "../measure/workload.ts";
import type { RunConsumeJob } from "./job.ts";

/** Every contestant of consume. */
export const contestants: readonly Contestant<RunConsumeJob>[] = [
  {
    name: "hand",
    about:
      "a loop on the same client: receives, stores and acknowledges, and no more than that; in SQS sqs-consumer, in Kafka eachBatch",
    note: "extends no lease, counts no failure, waits for no outage and has NATS confirm nothing",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "each-message",
    about: "in Kafka: eachMessage of the same client, which stores one at a time",
    note: "commits after each 256 messages",
    takes: ({ broker }) => broker === "kafka",
    load: async () => (await import("./contestants/each_message.ts")).eachMessage,
  },
  {
    name: "pipeline",
    about: "hosepipe: messages, perMessage over a map, stored",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
];
