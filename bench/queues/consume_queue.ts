import { map, pipeline } from "../../mod.ts";
import { Consumer, messages, perMessage, type QueueSource, stored } from "../../src/queue/mod.ts";
import { batchSize, type Save, toRow } from "./contestant.ts";

/** Works on a queue of ours; what it fulfils with ends that. */
export function consumeQueue(queue: QueueSource<string>, save: Save): () => Promise<void> {
  const consumer = new Consumer(queue, { maxInFlight: 4 * batchSize });
  const running = pipeline(
    messages(consumer),
    perMessage(map(toRow)),
    stored(consumer, (outputs) => save(outputs.map(({ value }) => value)), {
      batchSize,
      concurrency: 2,
      maxWaitMs: 5,
    }),
  );
  return async () => {
    consumer.stop();
    await running;
    await consumer.close();
  };
}
