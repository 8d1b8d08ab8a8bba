import process from "node:process";
import type { ConsumerRunConfig, KafkaMessage } from "kafkajs";
import { kafkaQueue } from "../../src/queue/kafka.ts";
import { CaseRefusal } from "../measure/workload.ts";
import type { HandLoop, OpenQueue } from "./open_sqlite.ts";

const numPartitions = 4;

/** A topic of the server that `KAFKA_BROKERS` names, and a consumer of kafkajs that gets batches of it. */
export async function openKafka(_folder: string, loop: HandLoop): Promise<OpenQueue> {
  const broker = process.env.KAFKA_BROKERS;
  if (broker === undefined) throw new CaseRefusal("not run: KAFKA_BROKERS names no server");
  const { default: { Kafka, logLevel } } = await import("kafkajs");
  const client = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
  const topic = `jobs-${crypto.randomUUID()}`;
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions }, { topic: `${topic}.dead` }] });
  const queue = kafkaQueue(client, { topic, group: topic });
  const consumer = client.consumer({ groupId: topic, maxWaitTimeInMs: 200 });
  let isRunning = false;
  let left = 0;
  let [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = (partition: number, some: readonly KafkaMessage[]) =>
    loop.save(some.map(({ offset, value }) => {
      return { key: `${topic}/${partition}/${offset}/0`, value: loop.work(String(value)) };
    }));
  const count = (messages: number) => {
    left -= messages;
    if (left > 0) return;
    begun = Promise.withResolvers();
    done.resolve();
  };
  const run = async (options: ConsumerRunConfig) => {
    [left, done] = [loop.count, Promise.withResolvers()];
    begun.resolve();
    if (!isRunning) {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ partitionsConsumedConcurrently: numPartitions, ...options });
    }
    isRunning = true;
    await done.promise;
  };
  return {
    queue,
    byHand: () =>
      run({
        autoCommit: false,
        eachBatch: async ({ batch: { partition, messages }, commitOffsetsIfNecessary }) => {
          // As many as are fetched before a run begins are fetched for the queue, too.
          await begun.promise;
          for (let from = 0; from < messages.length; from += loop.batchSize) {
            const some = messages.slice(from, from + loop.batchSize);
            store(partition, some);
            const offset = `${Number(some.at(-1)!.offset) + 1}`;
            await commitOffsetsIfNecessary({
              topics: [{ topic, partitions: [{ partition, offset }] }],
            });
            count(some.length);
          }
        },
      }),
    byMessage: () =>
      run({
        // What is committed was stored, as with the others; as many may be repeated.
        autoCommitThreshold: loop.batchSize,
        eachMessage: async ({ partition, message }) => {
          await begun.promise;
          store(partition, [message]);
          count(1);
        },
      }),
    async close() {
      await queue.close();
      await consumer.disconnect();
      await admin.deleteTopics({ topics: [topic, `${topic}.dead`] });
      await admin.disconnect();
    },
  };
}
