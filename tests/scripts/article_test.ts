import { randomUUID } from "node:crypto";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { MongoClient } from "mongodb";
import { sqsQueue } from "@hosepipe/streams/queue/sqs";
import { type StartedScript, startScript } from "../lib/start_script.ts";
import { until } from "../lib/until.ts";
import { openSns, openSqs, sqsAddress } from "../queue/adapters/_sqs.ts";

const address = process.env.MONGODB_URI;
const skip = process.platform === "win32"
  ? "no signals there"
  : address === undefined && !process.env.HOSEPIPE_REQUIRE_MONGODB
  ? "MONGODB_URI is not set"
  : false;
const count = Number(process.env.ARTICLE_MESSAGES ?? 200);
const kills = Number(process.env.ARTICLE_KILLS ?? 1);

/** The messages of a queue, until it has so many; the others are an error. */
async function readAll(name: string, expected: number): Promise<string[]> {
  const queue = sqsQueue<string>(await openSqs(), { queue: name });
  await queue.open(60_000);
  const found: string[] = [];
  const { signal } = new AbortController();
  while (true) {
    const some = await queue.receive(200, { waitMs: found.length < expected ? 5_000 : 0, signal });
    if (some.length === 0) return found;
    found.push(...some.map(({ body }) => body));
    await queue.ack(some.map(({ receipt }) => receipt));
  }
}

for (const name of ["with_pipeline", "by_hand"]) {
  const title = `the article's program, ${name}: killed, it loses and doubles nothing`;
  test(title, { skip, timeout: 600_000 }, async () => {
    const [sqs, sns] = [await openSqs(), await openSns()];
    const id = `article-${randomUUID().slice(0, 8)}`;
    const fifo = { FifoQueue: "true" };
    const { QueueUrl } = await sqs.createQueue({ QueueName: id });
    await sqs.createQueue({ QueueName: `${id}-dead` });
    const events = await sqs.createQueue({ QueueName: `${id}-events.fifo`, Attributes: fifo });
    const { TopicArn } = await sns.createTopic({
      Name: `${id}.fifo`,
      Attributes: { FifoTopic: "true" },
    });
    const { Attributes } = await sqs.getQueueAttributes({
      QueueUrl: events.QueueUrl,
      AttributeNames: ["QueueArn"],
    });
    await sns.subscribe({
      ...{ TopicArn, Protocol: "sqs", Endpoint: Attributes!.QueueArn },
      Attributes: { RawMessageDelivery: "true" },
    });
    const orders = Array.from({ length: count }, (_, order) => ({
      ...{ order, customer: `${order % 20}` },
      total: order % 10,
    }));
    await sqsQueue(sqs, { queue: id }).send(orders.map((order) => JSON.stringify(order)));

    const mongo = await MongoClient.connect(address!);
    const stored = mongo.db(id).collection("orders");
    const env = {
      SQS_ENDPOINT: await sqsAddress(),
      ...{ AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" },
    };
    const start = () => startScript(`tests/scripts/article/${name}.ts`, [id, TopicArn!, id], env);
    let worker: StartedScript = start();
    const expected = orders.filter(({ total }) => total > 0);
    try {
      for (let kill = 1; kill <= kills; kill++) {
        const before = await stored.countDocuments();
        const least = Math.min(before + 1, expected.length);
        await until(async () => await stored.countDocuments() >= least);
        worker.child.kill("SIGKILL");
        await worker.ended;
        worker = start();
      }
      await until(async () => {
        const { waiting, leased } = await sqsQueue(sqs, { queue: id }).depth();
        return waiting + leased === 0;
      });
      worker.child.kill("SIGTERM");
      const { stderr } = await worker.ended;
      // sqs-consumer complains of leases that the killed one has held.
      if (name === "with_pipeline") assertEquals(stderr, "");
      const rows = await stored.find().toArray();
      const numbers = (all: readonly { order?: number }[]) =>
        all.map(({ order }) => order!).toSorted((a, b) => a - b);
      assertEquals(numbers(rows as { order?: number }[]), numbers(expected));
      const told = await readAll(`${id}-events.fifo`, expected.length);
      assertEquals(numbers(told.map((text) => JSON.parse(text))), numbers(expected));
      assertEquals(await readAll(`${id}-dead`, 0), []);
    } finally {
      worker.child.kill("SIGKILL");
      await worker.ended;
      await mongo.db(id).dropDatabase();
      await mongo.close();
      for (const url of [QueueUrl, events.QueueUrl]) await sqs.deleteQueue({ QueueUrl: url });
    }
  });
}
