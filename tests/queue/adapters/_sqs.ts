import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { type FauxqsServer, startFauxqs } from "fauxqs";
import { sqsQueue } from "@hosepipe/streams/queue/sqs";
import type { CheckedQueue } from "@hosepipe/streams/testing";

let starting: Promise<FauxqsServer> | undefined;
const clients: { destroy(): void }[] = [];

after(async () => {
  for (const client of clients) client.destroy();
  await (await starting)?.stop();
});

/** Where a server of this process listens. */
export async function sqsAddress(): Promise<string> {
  return (await (starting ??= startFauxqs({ port: 0, host: "127.0.0.1", logger: false }))).address;
}

async function settings() {
  const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
  return { endpoint: await sqsAddress(), region: "us-east-1", credentials };
}

/** A client of a server of this process. */
export async function openSqs(): Promise<SQS> {
  const client = new SQS(await settings());
  clients.push(client);
  return client;
}

/** The same of SNS. */
export async function openSns(): Promise<SNS> {
  const client = new SNS(await settings());
  clients.push(client);
  return client;
}

/** Lends a queue of a name of its own, as two workers with clients of their own see it. */
export async function withSqs(
  kind: "standard" | "FIFO",
  use: (
    queue: CheckedQueue & { readonly name: string; readonly url: string; readonly client: SQS },
  ) => Promise<void>,
): Promise<void> {
  const end = kind === "FIFO" ? ".fifo" : "";
  const stem = `laws-${randomUUID().slice(0, 8)}`;
  const [client, otherClient] = [await openSqs(), await openSqs()];
  const attributes = kind === "FIFO" ? { FifoQueue: "true" } : undefined;
  const make = async (QueueName: string) =>
    (await client.createQueue({ QueueName, Attributes: attributes })).QueueUrl!;
  const urls = [await make(`${stem}${end}`), await make(`${stem}-dead${end}`)];
  const name = `${stem}${end}`;
  try {
    await use({
      ...{ name, client, url: urls[0]! },
      one: sqsQueue<string>(client, { queue: name }),
      other: sqsQueue<string>(otherClient, { queue: name }),
    });
  } finally {
    for (const QueueUrl of urls) await client.deleteQueue({ QueueUrl });
  }
}
