import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { SQS } from "@aws-sdk/client-sqs";
import { sqsQueue } from "../../src/queue/sqs.ts";
import type { HandLoop, OpenQueue } from "./open_sqlite.ts";

/** What SQS gives in a call. */
const mostInCall = 10;
/** As many calls at a time as `sqsQueue` makes; more would wait for the client's 50 connections. */
const mostCalls = 20;

/** A queue of a server of SQS in a thread, and twenty of sqs-consumer. */
export async function openSqs(_folder: string, loop: HandLoop): Promise<OpenQueue> {
  const thread = new Worker(new URL("sqs_server_thread.ts", import.meta.url));
  const [endpoint] = await once(thread, "message") as [string];
  const { Consumer } = await import("sqs-consumer");
  const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
  const client = new SQS({ endpoint, region: "us-east-1", credentials });
  await client.createQueue({ QueueName: "jobs-dead" });
  const { QueueUrl: queueUrl } = await client.createQueue({ QueueName: "jobs" });
  const byHand = async (): Promise<void> => {
    let left = loop.count;
    const done = Promise.withResolvers<void>();
    const consumers = Array.from(
      { length: mostCalls },
      () =>
        Consumer.create({
          queueUrl: queueUrl!,
          sqs: client,
          batchSize: mostInCall,
          // A call that waits and is given up may take messages with it.
          waitTimeSeconds: 0,
          visibilityTimeout: 30,
          heartbeatInterval: 10,
          // deno-lint-ignore require-await -- the library wants a promise
          handleMessageBatch: async (messages) => {
            loop.save(messages.map(({ MessageId, Body }) => {
              return { key: `${MessageId}/0`, value: loop.work(Body!) };
            }));
            return messages;
          },
        }),
    );
    for (const consumer of consumers) {
      consumer.on("error", done.reject);
      consumer.on("message_processed", () => {
        if (--left === 0) done.resolve();
      });
      consumer.start();
    }
    await done.promise;
    const ended = consumers.map((consumer) => once(consumer, "stopped"));
    for (const consumer of consumers) consumer.stop();
    await Promise.all(ended);
  };
  return {
    queue: sqsQueue<string>(client, { queue: "jobs" }),
    byHand,
    async close() {
      client.destroy();
      await thread.terminate();
    },
  };
}
