import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { DeadLetters, QueueSource } from "../../src/queue/mod.ts";
import { kafkaQueue } from "../../src/queue/kafka.ts";
import { natsQueue } from "../../src/queue/nats.ts";
import { postgresQueue } from "../../src/queue/postgres.ts";
import { redisQueue } from "../../src/queue/redis.ts";
import { sqliteQueue } from "../../src/queue/sqlite.ts";
import { sqsQueue } from "../../src/queue/sqs.ts";
import { checkAddress, readAddress } from "../secrets/read_address.ts";
import { hideSecrets } from "../secrets/hide_secrets.ts";

/** A queue with the connection that it lives on. */
export interface Broker {
  readonly queue: QueueSource<string> & {
    readonly dead?: DeadLetters<string>;
    oldestAgeMs?(): Promise<number>;
  };
  close(): Promise<void>;
}

/** How a broker is opened. */
export interface BrokerOptions {
  readonly leaseMs: number;
  /** Whether its stream is made where the address names none; a worker makes nothing. */
  readonly create?: boolean;
  /** The table, or the beginning of the keys. Default: the command's own. */
  readonly name?: string | undefined;
}

/** `nats://[USER:PASSWORD@]HOST:PORT[,…][/STREAM[/CONSUMER]]` */
const natsAddress = /^nats:\/\/(?:([^:@/]+):([^@/]*)@)?([^@/]+?)(?:\/([^/]+)(?:\/([^/]+))?)?\/?$/;
const defaultName = "hosepipe_orders";
const defaultConsumer = "lines";

async function openSqlite(
  path: string,
  { leaseMs, name = "orders" }: BrokerOptions,
): Promise<Broker> {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA synchronous = NORMAL");
    const queue = sqliteQueue<string>(database, { table: name });
    await queue.open(leaseMs);
    return { queue, close: () => Promise.resolve(database.close()) };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function makeStream(
  manager: JetStreamManager,
  stream: string,
  consumer: string,
  ack_wait: number,
): Promise<void> {
  await manager.streams.add({ name: stream, subjects: [stream], retention: "workqueue" });
  const existing = await manager.consumers.info(stream, consumer).catch(() => undefined);
  if (existing === undefined) {
    await manager.consumers.add(stream, {
      durable_name: consumer,
      ack_policy: "explicit",
      ack_wait,
      max_deliver: -1,
      max_ack_pending: 100_000,
    });
  } else if (existing.config.ack_wait !== ack_wait) {
    await manager.consumers.update(stream, consumer, { ack_wait });
  }
}

/**
 * A client that the server refuses leaves a socket behind that may be reset when nothing listens to it any more: in
 * Deno that ends the process before it can say why it was refused.
 */
async function withoutResets<T>(open: () => Promise<T>): Promise<T> {
  const onError = (error: unknown): void => {
    if ((error as { code?: unknown } | undefined)?.code !== "ECONNRESET") throw error;
  };
  process.on("uncaughtException", onError);
  const opened = await open();
  process.off("uncaughtException", onError);
  return opened;
}

async function openNats(address: string, { leaseMs, create }: BrokerOptions): Promise<Broker> {
  const { connect } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const [, user, pass, servers, named, consumer = defaultConsumer] = natsAddress.exec(address)!;
  const connection = await withoutResets(() =>
    connect({
      servers: servers!.split(","),
      ...(user === undefined
        ? {}
        : { user: decodeURIComponent(user), pass: decodeURIComponent(pass!) }),
      // At the start it is there or not; later on it is waited for.
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      timeout: 5_000,
    })
  );
  try {
    const stream = named ?? defaultName;
    if (create && named === undefined) {
      await makeStream(await jetstreamManager(connection), stream, consumer, leaseMs * 1e6);
    }
    const queue = natsQueue(jetstream(connection), { stream, consumer });
    await queue.open(leaseMs);
    return { queue, close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** `postgres://[USER:PASSWORD@]HOST[:PORT]/DATABASE` */
const postgresAddress = /^postgres(?:ql)?:\/\/[^/]+\/[^/]+$/;

async function openPostgres(
  address: string,
  { leaseMs, name = defaultName }: BrokerOptions,
): Promise<Broker> {
  const { default: postgres } = await import("postgres");
  // By itself it waits longer each time, up to 20 s, and so long after the server is there again.
  const backoff = () => 0.2;
  const sql = postgres(address, { max: 8, connect_timeout: 5, backoff, onnotice: () => {} });
  try {
    const queue = postgresQueue<string>(sql, { table: name });
    await queue.open(leaseMs);
    return { queue, close: () => sql.end({ timeout: 1 }) };
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
}

/** `redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER]` */
const redisAddress = /^rediss?:\/\/[^/]+(?:\/\d*)?$/;

async function openRedis(
  address: string,
  { leaseMs, name = defaultName }: BrokerOptions,
): Promise<Broker> {
  const { createClient } = await import("redis");
  // At the start it is there or not; later on it is waited for.
  let isOpen = false;
  const client = createClient({
    url: address,
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: (_, error) => isOpen ? 200 : error },
  });
  client.on("error", () => {});
  await client.connect();
  isOpen = true;
  const queue = redisQueue<string>(client, { key: name });
  const close = async () => {
    await queue.close();
    client.destroy();
  };
  try {
    await queue.open(leaseMs);
    return { queue, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `sqs:QUEUE`, of the environment's account, or `sqs://HOST:PORT/QUEUE`, of a server that speaks as SQS does. */
const sqsAddress = /^sqs:(?:\/\/([^/@]+)\/)?([\w-]+(?:\.fifo)?)$/;

async function openSqs(address: string, { leaseMs, create }: BrokerOptions): Promise<Broker> {
  const { SQS } = await import("@aws-sdk/client-sqs");
  const [, host, queueName] = sqsAddress.exec(address)!;
  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const client = new SQS(
    host === undefined ? {} : { endpoint: `http://${host}`, region: "us-east-1", credentials },
  );
  try {
    if (create && host !== undefined) {
      const Attributes = queueName!.endsWith(".fifo") ? { FifoQueue: "true" } : undefined;
      for (const end of ["", "-dead"]) {
        const QueueName = queueName!.replace(/(?=\.fifo$)|(?<!\.fifo)$/, end);
        await client.createQueue({ QueueName, Attributes });
      }
    }
    // Workers die here all the time, and SQS counts each death as a failure of what they had.
    const queue = sqsQueue(client, { queue: queueName!, maxDeliveries: 50 });
    await queue.open(leaseMs);
    return { queue, close: () => Promise.resolve(client.destroy()) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** `kafka://HOST:PORT/TOPIC` */
const kafkaAddress = /^kafka:\/\/([^/@]+)\/([\w.-]+)$/;

async function openKafka(address: string, { create }: BrokerOptions): Promise<Broker> {
  const { default: { Kafka, logLevel } } = await import("kafkajs");
  const [, host, topic] = kafkaAddress.exec(address)!;
  const client = new Kafka({
    ...{ clientId: "hosepipe", brokers: [host!], logLevel: logLevel.NOTHING },
    connectionTimeout: 5_000,
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 5 },
  });
  if (create) {
    const admin = client.admin();
    await admin.connect();
    const topics = [{ topic: topic!, numPartitions: 8 }, { topic: `${topic}.dead` }];
    await admin.createTopics({ topics }).finally(() => admin.disconnect());
  }
  const queue = kafkaQueue(client, { topic: topic!, group: defaultName });
  const close = () => queue.close();
  try {
    // Not opened: that makes it a member, which has partitions of its own.
    await queue.depth();
    return { queue, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How the addresses of brokers are written. */
export const brokerAddresses = {
  about: "sqlite:FILE, postgres://[USER:PASSWORD@]HOST[:PORT]/DATABASE, " +
    "redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER], " +
    "nats://[USER:PASSWORD@]HOST:PORT[/STREAM[/CONSUMER]], kafka://HOST:PORT/TOPIC or " +
    "sqs:[//HOST:PORT/]QUEUE",
  areLike: (text: string): boolean =>
    [/^sqlite:./, postgresAddress, redisAddress, natsAddress, sqsAddress, kafkaAddress].some(
      (like) => like.test(text),
    ),
};

/** Opens the queue at an address of one of the six kinds. */
export async function openBroker(address: string, options: BrokerOptions): Promise<Broker> {
  checkAddress(address);
  try {
    if (address.startsWith("sqlite:")) {
      return await openSqlite(address.slice("sqlite:".length), options);
    }
    if (postgresAddress.test(address)) return await openPostgres(address, options);
    if (kafkaAddress.test(address)) return await openKafka(address, options);
    if (sqsAddress.test(address)) return await openSqs(address, options);
    if (redisAddress.test(address)) return await openRedis(address, options);
    return await openNats(address, options);
  } catch (cause) {
    const reason = String((cause as Error)?.message ?? cause).split("\n")[0]!;
    const { name } = readAddress(address);
    throw new Error(`Cannot open --broker ${name}: ${hideSecrets(reason, [address])}`, { cause });
  }
}
