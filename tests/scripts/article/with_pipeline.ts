// From a queue of SQS through stages to MongoDB, and events by SNS to other queues, until SIGTERM.
import process from "node:process";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { MongoBulkWriteError, MongoClient } from "mongodb";
import { filter, map, pipeline } from "../../../mod.ts";
import { Consumer, messages, perMessage, stored } from "../../../src/queue/mod.ts";
import { publish, sqsQueue } from "../../../src/queue/sqs.ts";

interface Order {
  readonly customer: string;
  readonly total: number;
}

/** What is there already is a repeat. */
function ignoreRepeats(error: unknown): void {
  const isRepeat = error instanceof MongoBulkWriteError &&
    [error.writeErrors].flat().every(({ code }) => code === 11_000);
  if (!isRepeat) throw error;
}

const [queueName, topicArn, database] = process.argv.slice(2) as [string, string, string];
const endpoint = process.env.SQS_ENDPOINT;
const sqs = new SQS(endpoint === undefined ? {} : { endpoint });
const sns = new SNS(endpoint === undefined ? {} : { endpoint });
const mongo = await MongoClient.connect(process.env.MONGODB_URI!);
const orders = mongo.db(database).collection<Order & { _id: string }>("orders");

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const send = publish<Order>(sns, { topicArn, group: ({ customer }) => customer });
const queue = sqsQueue(sqs, { queue: queueName, maxDeliveries: 50 });
const consumer = new Consumer(queue, { signal: stop.signal, leaseMs: 2_000, maxFailures: 20 });
await pipeline(
  messages(consumer),
  perMessage(
    map((text: string): Order => JSON.parse(text)),
    filter(({ total }: Order) => total > 0),
  ),
  stored(consumer, async (outputs, { signal }) => {
    const rows = outputs.map(({ key, value }) => ({
      insertOne: { document: { _id: key, ...value } },
    }));
    await orders.bulkWrite(rows, { ordered: false }).catch(ignoreRepeats);
    await send(outputs, { signal });
  }, { concurrency: 4 }),
);
await mongo.close();
// In Deno a call that was aborted keeps the process.
process.exit();
