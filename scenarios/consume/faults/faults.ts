import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { open, statfs, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { openBroker } from "../broker.ts";
import type { ConsumePlan } from "../run_consume.ts";
import { type FaultPlace, type QueueKind, queueKinds } from "./fault_place.ts";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A server between workers and a queue's server, which parts them for a time. */
interface HoldProxy {
  /** The address of the other server, by way of this one. */
  readonly address: string;
  /** Lets nothing through on about half of the connections, and says nothing; `release` lets it come late. */
  hold(): void;
  release(): void;
  /** Ends every connection, and each new one, until `mend` is called. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Puts a proxy before a server on this machine. */
export async function openHoldProxy(address: string): Promise<HoldProxy> {
  const { hostname, port } = new URL(address);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ours = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const [client] of pairs) client.destroy();
  };
  return {
    address: address.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1${ours}`),
    hold() {
      for (const pair of pairs) {
        if (Math.random() < 0.5) { for (const socket of pair) socket.pause(); }
      }
    },
    release() {
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    cut() {
      isCut = true;
      cut();
    },
    mend() {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a small disk can be had: root may mount one. */
const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** Makes a folder a disk of so many MiB; what it returns takes it away. */
function mountSmallDisk(folder: string, mib: number): () => Promise<void> {
  const { status, stderr } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${mib}m,mode=0755`, "tmpfs", folder],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`Cannot mount a small disk: ${stderr.trim()}`);
  return () => {
    // What still has a file open there must not keep it.
    spawnSync("umount", ["-l", folder]);
    return Promise.resolve();
  };
}

/** Fills what is left of a disk. */
async function fillDisk(folder: string): Promise<void> {
  const file = await open(join(folder, "filler"), "a");
  const block = Buffer.alloc(1 << 16);
  try {
    while (true) await file.write(block);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
  const { bavail } = await statfs(folder);
  if (bavail > 16) throw new Error(`There is still room in ${folder}`);
}

/** Gives back what `fillDisk` took. */
async function emptyDisk(folder: string): Promise<void> {
  await truncate(join(folder, "filler"), 0);
}

const libraries = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/** Debian's libfaketime, where it is installed. */
const fakeTimeLibrary = libraries.find((path) => existsSync(path));

/** Environment of processes whose clock says what a file says, in the seconds that it adds. */
function steppedClock(file: string): Record<string, string> {
  return {
    LD_PRELOAD: fakeTimeLibrary!,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
}

/** Sets the clock of those processes so many seconds from the machine's. */
async function stepClock(file: string, seconds: number): Promise<void> {
  await writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
}

/** Adds messages that no queue of ours would, past the queue. */
interface RawSender {
  /** One of several kinds, in turn by its number. */
  send(number: number): Promise<unknown>;
  close(): Promise<unknown>;
}

const table = "hosepipe_orders";

function openSqlite(path: string): RawSender {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 5000");
  const kinds = [
    ["failures", "'x'", "'text'", 0],
    ["deliveries", "9223372036854775806", "'text'", 0],
    ["failures", "0", "5", 0],
    ["failures", "0", "CAST(x'61ff' AS TEXT)", 0],
    ["isolations", "x'00'", "x'ff'", 1],
  ] as const;
  return {
    send(number) {
      const [column, value, body, isText] = kinds[number % kinds.length]!;
      database.exec(`BEGIN IMMEDIATE;
        INSERT INTO orders (${column}) VALUES (${value});
        INSERT INTO orders_body VALUES (last_insert_rowid(), ${body}, ${isText}); COMMIT`);
      return Promise.resolve();
    },
    close: () => Promise.resolve(database.close()),
  };
}

async function openPostgres(address: string): Promise<RawSender> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(address, { max: 1, onnotice: () => {} });
  const kinds = [
    ["text, failures", "'text', -1"],
    ["text, failures", "'text', 2147483647"],
    ["bytes, is_text", "'\\x61ff', true"],
    ["text, bytes", "NULL, NULL"],
  ] as const;
  return {
    send(number) {
      const [columns, values] = kinds[number % kinds.length]!;
      return Promise.resolve(sql.unsafe(`INSERT INTO ${table} (${columns}) VALUES (${values})`));
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

async function openRedis(url: string): Promise<RawSender> {
  const { createClient } = await import("redis");
  const client = createClient({ url });
  // The server is killed at the end.
  client.on("error", () => {});
  await client.connect();
  const kinds = [
    ["base64", "!!!"],
    ["text", "a", "failures", "x"],
    ["text", "a", "deliveries", "-1"],
    ["other", "field"],
  ];
  return {
    send: (number) =>
      client.sendCommand(["XADD", `{${table}}:stream`, "*", ...kinds[number % kinds.length]!]),
    close: () => Promise.resolve(client.destroy()),
  };
}

async function openNats(servers: string): Promise<RawSender> {
  const { connect, headers } = await import("@nats-io/transport-node");
  const { jetstream } = await import("@nats-io/jetstream");
  const connection = await connect({ servers });
  const client = jetstream(connection);
  return {
    send: (number) =>
      number % 2 === 0
        ? client.publish(table, new Uint8Array([0x61, 0xff]))
        // What the server itself says of a pull.
        : client.publish(table, "no order", { headers: headers(503, "No Responders") }),
    close: () => connection.close(),
  };
}

async function openKafka(address: string): Promise<RawSender> {
  const { default: { Kafka, logLevel } } = await import("kafkajs");
  const { host, pathname } = new URL(address);
  const producer = new Kafka({ brokers: [host], logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const values = [Buffer.from([0x61, 0xff]), null];
  return {
    send: (number) =>
      producer.send({
        topic: pathname.slice(1),
        messages: [{ value: values[number % values.length]! }],
      }),
    close: () => producer.disconnect(),
  };
}

async function openSqs(address: string): Promise<RawSender> {
  const { SQS } = await import("@aws-sdk/client-sqs");
  const { host, pathname } = new URL(address);
  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const client = new SQS({ endpoint: `http://${host}`, region: "us-east-1", credentials });
  const { QueueUrl } = await client.getQueueUrl({ QueueName: pathname.slice(1) });
  const kinds = [["bytes", "base64,!!!"], ["text", "base64,Yf8="], ["other", "text"]] as const;
  return {
    send(number) {
      const [StringValue, MessageBody] = kinds[number % kinds.length]!;
      const MessageAttributes = { "hosepipe-body": { DataType: "String", StringValue } };
      return client.sendMessage({ QueueUrl, MessageBody, MessageAttributes });
    },
    close: () => Promise.resolve(client.destroy()),
  };
}

/** What adds messages that can only die: such as cannot be read, and others whose work fails with a reason without text. */
function openHostileMessages(
  { broker: address }: FaultPlace,
  kind: QueueKind,
  leaseMs: number,
): { send(): Promise<void>; count(): number; close(): Promise<void> } {
  const open = () => {
    if (kind === "sqlite") return openSqlite(address.slice("sqlite:".length));
    if (kind === "postgres") return openPostgres(address);
    if (kind === "kafka") return openKafka(address);
    if (kind === "sqs") return openSqs(address);
    return kind === "redis" ? openRedis(address) : openNats(address);
  };
  let opened: { readonly raw: RawSender; readonly broker: Awaited<ReturnType<typeof openBroker>> };
  let count = 0;
  return {
    async send() {
      // Once the queue is there.
      opened ??= { raw: await open(), broker: await openBroker(address, { leaseMs }) };
      await opened.raw.send(count);
      count++;
      await opened.broker.queue.send([`hostile ${count}`]);
      count++;
    },
    count: () => count,
    async close() {
      await opened?.raw.close();
      await opened?.broker.close();
    },
  };
}

/** What a fault adds to a run, and what it has done there. */
export interface Harm {
  readonly plan: Partial<ConsumePlan>;
  /** How often it has done harm, besides killing workers. */
  count(): number;
  end?(): Promise<void>;
}

/** A fault that is tried on queues. */
export interface Fault {
  /** Says what is done, in the table. */
  readonly about: string;
  readonly queues: readonly QueueKind[];
  /** Why it cannot be tried on this machine. */
  readonly skip?: string | false;
  readonly messages: number;
  /** Makes the folder ready before a server has it; what it returns is called at the end. */
  prepare?(folder: string): Promise<() => Promise<void>>;
  /** Variables of the server's environment. */
  env?(folder: string): Readonly<Record<string, string>>;
  begin(place: FaultPlace, kind: QueueKind): Promise<Harm>;
}

/** So long a lease, that faults of several leases take little time. */
export const leaseMs = 1_000;

const servers = queueKinds.filter((kind) => kind !== "sqlite");
/**
 * A group of Kafka stands still for a lease whenever a member dies, and never moves if they die all the time. SQS counts
 * each death as a failure of what the worker had.
 */
const slowKillMs = leaseMs;
const working: NonNullable<ConsumePlan["faults"]> = () => ({ writeMs: 10 });

/** Harms now and then, once every worker works, until the signal aborts. */
function every(
  ms: number,
  harm: (places: Parameters<NonNullable<ConsumePlan["disturb"]>>[0]) => Promise<boolean | void>,
): { readonly disturb: NonNullable<ConsumePlan["disturb"]>; count(): number } {
  let count = 0;
  return {
    count: () => count,
    async disturb(places, signal) {
      const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {});
      while (!signal.aborted && !places.every(({ isWorking }) => isWorking)) await pause(20);
      while (!signal.aborted) {
        await pause(ms);
        if (!signal.aborted && await harm(places) !== false) count++;
      }
    },
  };
}

const killing = (writeMs: number, killEveryMs: number): Partial<ConsumePlan> => ({
  killEveryMs,
  // The others die by themselves, between the commit of a write and its acknowledgement.
  faults: (started) => ({
    writeMs,
    killAfterWrite: started % 2 === 0 ? 1 + started * 7 % 20 : undefined,
  }),
});

/** The faults, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  kill: {
    about: "workers are killed (SIGKILL), half of them between commit and acknowledgement; with " +
      "`maxFailures: 20` for SQS, which counts each death",
    queues: queueKinds,
    messages: 4_000,
    begin: (_, kind) =>
      Promise.resolve({
        plan: {
          ...killing(10, kind === "kafka" || kind === "sqs" ? slowKillMs : 60),
          job: {
            ...{ ...job, maxInFlight: 12, batchSize: 6 },
            // There each death counts as a failure.
            ...kind === "sqs" && { maxFailures: 20 },
          },
        },
        count: () => 0,
      }),
  },
  suspects: {
    about: "200 times one of two to four working workers is killed, every 250 ms or later, while " +
      "each save takes 100 ms, with leases of 700 ms",
    queues: ["sqlite", "postgres", "redis", "nats", "kafka"],
    messages: 20_000,
    begin: () =>
      Promise.resolve({
        plan: {
          ...{ killEveryMs: 250, leastWorking: 2, maxKills: 200 },
          faults: () => ({ writeMs: 100 }),
          job: { ...job, leaseMs: 700, maxInFlight: 200, batchSize: 50 },
        },
        count: () => 0,
      }),
  },
  stop: {
    about: "workers stand still (SIGSTOP) for two and a half leases, and go on",
    queues: ["sqlite", "postgres", "redis", "nats", "kafka", "sqs"],
    messages: 10_000,
    begin() {
      const { disturb, count } = every(300, async (places) => {
        const place = places.filter(({ isWorking }) => isWorking)[
          Math.floor(Math.random() * places.length)
        ];
        if (place === undefined) return false;
        const { process } = place;
        process.signal("SIGSTOP");
        await wait(2.5 * leaseMs);
        process.signal("SIGCONT");
      });
      return Promise.resolve({ plan: { faults: working, disturb }, count });
    },
  },
  partition: {
    about: "a proxy parts workers from the server for two and a half leases: about half of the " +
      "connections say nothing and come late, or all are cut",
    queues: ["postgres", "redis", "nats", "sqs"],
    messages: 10_000,
    async begin({ broker }) {
      const proxy = await openHoldProxy(broker);
      let isHold = false;
      const { disturb, count } = every(500, async () => {
        isHold = !isHold;
        if (isHold) proxy.hold();
        else proxy.cut();
        await wait(2.5 * leaseMs);
        if (isHold) proxy.release();
        else proxy.mend();
      });
      return {
        plan: { workerBroker: proxy.address, faults: working, disturb },
        count,
        end: () => proxy.close(),
      };
    },
  },
  hostile: {
    about:
      "200 messages are added that can only die, 100 each second: half of them cannot be read, and " +
      "the work of the others fails with a reason that has no text, or 4 MB of it",
    queues: ["sqlite", "postgres", "redis", "nats", "kafka", "sqs"],
    messages: 10_000,
    begin(place, kind) {
      const hostile = openHostileMessages(place, kind, leaseMs);
      // Not forever: the run ends once nothing waits.
      const { disturb } = every(20, async () => {
        if (hostile.count() < 200) await hostile.send();
      });
      const faults = () => ({ writeMs: 10, hasHostileReasons: true });
      return Promise.resolve({
        plan: { faults, disturb, countHostile: hostile.count },
        count: hostile.count,
        end: hostile.close,
      });
    },
  },
  server: {
    about: "the server is killed, and started again after 300 ms",
    queues: servers,
    messages: 10_000,
    begin({ server }, kind) {
      const { disturb, count } = every(kind === "kafka" ? 4 * slowKillMs : 1_500, async () => {
        await server!.kill();
        await wait(300);
        await server!.start();
      });
      return Promise.resolve({ plan: { faults: working, disturb }, count });
    },
  },
  members: {
    about: "a further member joins the group for half a second, and leaves: partitions move twice",
    queues: ["kafka"],
    messages: 10_000,
    begin(place) {
      const { disturb, count } = every(2 * slowKillMs, async () => {
        const { queue, close } = await openBroker(place.broker, { leaseMs });
        try {
          await queue.open(leaseMs);
          await wait(500);
        } finally {
          await close();
        }
      });
      return Promise.resolve({ plan: { faults: working, disturb }, count });
    },
  },
  disk: {
    about: "the disk of queue and store is full for a second; a server is started again then",
    queues: ["sqlite", "postgres", "redis", "nats"],
    messages: 8_000,
    skip: canMount ? false : "only root may mount a small disk",
    prepare: (folder) => Promise.resolve(mountSmallDisk(folder, 192)),
    begin({ folder, server }) {
      const { disturb, count } = every(700, async () => {
        await fillDisk(folder);
        await wait(1_000);
        await emptyDisk(folder);
        await wait(100);
        await server?.kill();
        await server?.start();
      });
      return Promise.resolve({ plan: { faults: working, disturb }, count });
    },
  },
  clock: {
    about: "the clock of the leases is set forward and back by two and a half leases",
    // Debian's Redis and a program of Go, as NATS is, cannot be given another time by libfaketime.
    queues: ["sqlite", "postgres", "sqs"],
    messages: 10_000,
    skip: fakeTimeLibrary === undefined && "Debian's package faketime is not installed",
    async prepare(folder) {
      await stepClock(join(folder, "clock"), 0);
      return () => Promise.resolve();
    },
    env: (folder) => steppedClock(join(folder, "clock")),
    begin({ folder }, kind) {
      const file = join(folder, "clock");
      const steps = [2.5, 0, -2.5, 0];
      let index = 0;
      const { disturb, count } = every(
        400,
        () => stepClock(file, steps[index++ % steps.length]! * leaseMs / 1_000),
      );
      const workerEnv = kind === "sqlite" ? steppedClock(file) : undefined;
      return Promise.resolve({ plan: { faults: working, disturb, workerEnv }, count });
    },
  },
};

/** How workers work, unless a fault says otherwise. */
export const job: ConsumePlan["job"] = {
  ...{ maxInFlight: 50, concurrency: 2, batchSize: 10, leaseMs },
  ...{ drainMs: 10_000, retryDelayMs: 50 },
};
