// The same by hand, with sqs-consumer: ten messages a call, several calls at a time.
import process from "node:process";
import { type PublishBatchRequestEntry, SNS } from "@aws-sdk/client-sns";
import { type Message, SQS } from "@aws-sdk/client-sqs";
import { MongoBulkWriteError, MongoClient } from "mongodb";
import { Consumer } from "sqs-consumer";

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

/** What a call of SNS takes at most. */
const mostBytes = 262_144;

async function publishBatch(batch: PublishBatchRequestEntry[]): Promise<void> {
  for (let tries = 1; batch.length > 0; tries++) {
    const { Failed = [] } = await sns.publishBatch({
      TopicArn: topicArn,
      PublishBatchRequestEntries: batch,
    });
    const refused = Failed.find(({ SenderFault }) => SenderFault);
    if (refused !== undefined) throw new TypeError(`${refused.Code}: ${refused.Message}`);
    if (Failed.length > 0 && tries === 3) throw new Error(`SNS fails: ${Failed[0]!.Code}`);
    batch = batch.filter(({ Id }) => Failed.some((one) => one.Id === Id));
  }
}

async function publish(found: readonly (readonly [string, Order])[]): Promise<void> {
  let [batch, bytes]: [PublishBatchRequestEntry[], number] = [[], 0];
  for (const [index, [key, order]] of found.entries()) {
    const text = JSON.stringify(order);
    const size = new TextEncoder().encode(text).byteLength;
    if (batch.length > 0 && bytes + size > mostBytes) {
      await publishBatch(batch);
      [batch, bytes] = [[], 0];
    }
    batch.push({
      Id: `${index}`,
      Message: text,
      MessageGroupId: order.customer,
      MessageDeduplicationId: key,
    });
    bytes += size;
  }
  await publishBatch(batch);
}

async function store(found: readonly (readonly [string, Order])[]): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(([key, order]) => ({ insertOne: { document: { _id: key, ...order } } }));
  await orders.bulkWrite(rows, { ordered: false }).catch(ignoreRepeats);
  await publish(found);
}

/** Answers which are done: one that cannot be read, or stored, comes again alone, and goes to the queue's dead letters. */
async function handleMessageBatch(messages: Message[]): Promise<Message[]> {
  const done: Message[] = [];
  const found = new Map<Message, readonly [string, Order]>();
  for (const message of messages) {
    try {
      const order = JSON.parse(message.Body!) as Order;
      if (order.total > 0) found.set(message, [`${message.MessageId}/0`, order]);
      else done.push(message);
    } catch (error) {
      console.error(`${message.MessageId}: ${error}`);
    }
  }
  try {
    await store([...found.values()]);
    return [...done, ...found.keys()];
  } catch {
    for (const [message, one] of found) {
      try {
        await store([one]);
        done.push(message);
      } catch (error) {
        console.error(`${message.MessageId}: ${error}`);
      }
    }
    return done;
  }
}

const { QueueUrl } = await sqs.getQueueUrl({ QueueName: queueName });
const consumers = Array.from({ length: 8 }, () =>
  Consumer.create({
    queueUrl: QueueUrl!,
    sqs,
    batchSize: 10,
    waitTimeSeconds: 1,
    visibilityTimeout: 2,
    heartbeatInterval: 1,
    handleMessageBatch,
  }));
const ended = consumers.map((consumer) =>
  new Promise((resolve) => consumer.once("stopped", () => resolve(undefined)))
);
for (const consumer of consumers) {
  consumer.on("error", (error) => console.error(`${error}`));
  consumer.on("processing_error", (error) => console.error(`${error}`));
  consumer.start();
}
process.once("SIGTERM", () => {
  for (const consumer of consumers) consumer.stop();
});
await Promise.all(ended);
await mongo.close();
// In Deno a call that was aborted keeps the process.
process.exit();
