import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { DeadLetters, QueueSource } from "../../src/queue/mod.ts";
import { kafkaQueue } from "../../src/queue/kafka.ts";
import { natsQueue } from "../../src/queue/nats.ts";
import { postgresQueue } from "../../src/queue/postgres.ts";
import { redisQueue } from "../../src/queue/redis.ts";
import { retryUntilDone } from "../../src/queue/retry_until_done.ts";
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

/** A queue at an address, connected to and not yet opened. */
interface Connected extends Broker {
  open(): Promise<unknown>;
}

/** Each kind of broker: how its address is written, and how it is connected to. */
interface BrokerKind {
  readonly form: string;
  readonly like: RegExp;
  /** `parts` are what the address has in the groups of `like`. */
  connect(
    address: string,
    options: BrokerOptions,
    ...parts: readonly (string | undefined)[]
  ): Connected | Promise<Connected>;
}

const defaultName = "hosepipe_orders";
const defaultConsumer = "lines";
/** How long a new topic of Kafka may take to have leaders. */
const leadersMs = 20_000;

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

const kinds: readonly BrokerKind[] = [{
  form: "sqlite:FILE",
  like: /^sqlite:(.+)/s,
  connect(_, { leaseMs, name = "orders" }, path) {
    const database = new DatabaseSync(path!);
    const queue = sqliteQueue<string>(database, { table: name });
    return {
      queue,
      open() {
        database.exec("PRAGMA synchronous = NORMAL");
        return queue.open(leaseMs);
      },
      close: () => Promise.resolve(database.close()),
    };
  },
}, {
  form: "postgres://[USER:PASSWORD@]HOST[:PORT]/DATABASE",
  like: /^postgres(?:ql)?:\/\/[^/]+\/[^/]+$/,
  async connect(address, { leaseMs, name = defaultName }) {
    const { default: postgres } = await import("postgres");
    // By itself it waits longer each time, up to 20 s, and so long after the server is there again.
    const backoff = () => 0.2;
    const sql = postgres(address, { max: 8, connect_timeout: 5, backoff, onnotice: () => {} });
    const queue = postgresQueue<string>(sql, { table: name });
    return { queue, open: () => queue.open(leaseMs), close: () => sql.end({ timeout: 1 }) };
  },
}, {
  form: "redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER]",
  like: /^rediss?:\/\/[^/]+(?:\/\d*)?$/,
  async connect(address, { leaseMs, name = defaultName }) {
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
    return {
      queue,
      open: () => queue.open(leaseMs),
      close: () => queue.close().then(() => client.destroy()),
    };
  },
}, {
  form: "nats://[USER:PASSWORD@]HOST:PORT[/STREAM[/CONSUMER]]",
  like: /^nats:\/\/(?:([^:@/]+):([^@/]*)@)?([^@/]+?)(?:\/([^/]+)(?:\/([^/]+))?)?\/?$/,
  async connect(_, { leaseMs, create }, user, pass, servers, named, consumer = defaultConsumer) {
    const { connect } = await import("@nats-io/transport-node");
    const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
    const credentials = {
      user: decodeURIComponent(user ?? ""),
      pass: decodeURIComponent(pass ?? ""),
    };
    const connection = await withoutResets(() =>
      connect({
        servers: servers!.split(","),
        ...user !== undefined && credentials,
        // At the start it is there or not; later on it is waited for.
        maxReconnectAttempts: -1,
        reconnectTimeWait: 200,
        timeout: 5_000,
      })
    );
    const stream = named ?? defaultName;
    const queue = natsQueue(jetstream(connection), { stream, consumer });
    return {
      queue,
      async open() {
        if (create && named === undefined) {
          await makeStream(await jetstreamManager(connection), stream, consumer, leaseMs * 1e6);
        }
        await queue.open(leaseMs);
      },
      close: () => connection.close(),
    };
  },
}, {
  form: "kafka://HOST:PORT/TOPIC",
  like: /^kafka:\/\/([^/@]+)\/([\w.-]+)$/,
  async connect(_, { create }, host, topic) {
    const { default: { Kafka, logLevel } } = await import("kafkajs");
    const client = new Kafka({
      clientId: "hosepipe",
      brokers: [host!],
      logLevel: logLevel.NOTHING,
      connectionTimeout: 5_000,
      retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 5 },
    });
    // A group of its own: workers of other topics that come and go would hold up those of this one.
    const queue = kafkaQueue(client, { topic: topic!, group: `${defaultName}.${topic}` });
    return {
      queue,
      async open() {
        // Not opened: that makes it a member, which has partitions of its own.
        const look = async () => void await queue.depth();
        if (create) {
          const admin = client.admin();
          await admin.connect();
          const topics = [{ topic: topic!, numPartitions: 8 }, { topic: `${topic}.dead` }];
          await admin.createTopics({ topics, waitForLeaders: false })
            .finally(() => admin.disconnect());
          // Only then do its partitions get leaders.
          if (await retryUntilDone(look, AbortSignal.timeout(leadersMs), () => {})) return;
        }
        await look();
      },
      close: () => queue.close(),
    };
  },
}, {
  // Of the environment's account, or of a server that speaks as SQS does.
  form: "sqs:[//HOST:PORT/]QUEUE",
  like: /^sqs:(?:\/\/([^/@]+)\/)?([\w-]+(?:\.fifo)?)$/,
  async connect(_, { leaseMs, create }, host, queueName) {
    const { SQS } = await import("@aws-sdk/client-sqs");
    const credentials = { accessKeyId: "none", secretAccessKey: "none" };
    const client = new SQS(
      host === undefined ? {} : { endpoint: `http://${host}`, region: "us-east-1", credentials },
    );
    // Workers die here all the time, and SQS counts each death as a failure of what they had.
    const queue = sqsQueue(client, { queue: queueName!, maxDeliveries: 50 });
    return {
      queue,
      async open() {
        const Attributes = queueName!.endsWith(".fifo") ? { FifoQueue: "true" } : undefined;
        for (const end of create && host !== undefined ? ["", "-dead"] : []) {
          const QueueName = queueName!.replace(/(?=\.fifo$)|(?<!\.fifo)$/, end);
          await client.createQueue({ QueueName, Attributes });
        }
        await queue.open(leaseMs);
      },
      close: () => Promise.resolve(client.destroy()),
    };
  },
}];

/** How the addresses of brokers are written. */
export const brokerAddresses = {
  about: kinds.map(({ form }) => form).join(", ").replace(/, (?=[^,]*$)/, " or "),
  areLike: (text: string): boolean => kinds.some(({ like }) => like.test(text)),
};

/** Opens the queue at an address of one of the six kinds. */
export async function openBroker(address: string, options: BrokerOptions): Promise<Broker> {
  checkAddress(address);
  try {
    const { like, connect } = kinds.find(({ like }) => like.test(address))!;
    const [, ...parts] = like.exec(address)!;
    const { queue, open, close } = await connect(address, options, ...parts);
    try {
      await open();
    } catch (error) {
      await close();
      throw error;
    }
    return { queue, close };
  } catch (cause) {
    const reason = String((cause as Error)?.message ?? cause).split("\n")[0]!;
    const { name } = readAddress(address);
    throw new Error(`Cannot open --broker ${name}: ${hideSecrets(reason, [address])}`, { cause });
  }
}
