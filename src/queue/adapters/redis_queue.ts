import { decodeBase64, encodeBase64 } from "../../base64.ts";
import { checkFunction, throwTypeError } from "../../errors.ts";
import { integer, readOptions, textLike } from "../../read_options.ts";
import { checkSend, deadLettersOf } from "./check_send.ts";
import { digestText } from "./digest_text.ts";
import { describeReason } from "./describe_reason.ts";
import { PolledQueue } from "./polled_queue.ts";
import { KeptDelivery, readCounts } from "./read_counts.ts";
import { type BlockingRedis, openBlocking, type RedisClient, sendRedis } from "./redis_client.ts";
import { redisKeys, redisScript } from "./redis_script.ts";
import type {
  DeadLetters,
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  SendOptions,
} from "../queue_source.ts";

/** A message as the script gives it: its entry, how often that was handed over, its isolations, and its fields. */
type RedisEntry = readonly [
  entry: string,
  count: number,
  isolations: number,
  fields: readonly string[],
];

/** The fields of an entry by their names. */
function readFields(fields: readonly string[]): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    read.set(fields[index]!, fields[index + 1]!);
  }
  return read;
}

/** More fields than any entry of ours has, and than the script can put into another entry. */
const mostFields = 1_000;

/** What an entry has as its body; throws if that cannot be read. */
function readRedisBody(fields: ReadonlyMap<string, string>): string | Uint8Array | null {
  const [text, base64] = [fields.get("text"), fields.get("base64")];
  if (text !== undefined || base64 === undefined) return text ?? null;
  try {
    return decodeBase64(base64);
  } catch (cause) {
    throw new TypeError("Its base64 cannot be read", { cause });
  }
}

/** A field as a number, if it says one. */
function toCount(field: string | undefined): unknown {
  return field === undefined ? 0 : /^[0-9]+$/.test(field) ? Number(field) : field;
}

/** The counts that are fields of an entry. */
function keptCounts(
  fields: ReadonlyMap<string, string>,
): { deliveries: unknown; failures: unknown } {
  return {
    deliveries: toCount(fields.get("deliveries")),
    failures: toCount(fields.get("failures")),
  };
}

/** A message as a lease hands it over. */
class RedisDelivery<T> extends KeptDelivery<T> {
  readonly id: string;
  /** Where it is in the stream, and how often that was handed over. */
  readonly entry: string;
  readonly count: number;
  /** The id that its sender gave it, and the key; empty if there is none. */
  readonly name: string;
  readonly key: string;

  constructor([entry, count, isolations, list]: RedisEntry, tag: string) {
    const fields = readFields(list);
    super(tag, { ...keptCounts(fields), isolations: Number(isolations) });
    this.entry = entry;
    this.count = Number(count);
    this.name = fields.get("id") ?? "";
    this.key = fields.get("key") ?? "";
    this.id = this.name || `${tag}-${fields.get("entry") ?? entry}`;
    this.deliveries += this.count;
    this.readBody(() => {
      if (fields.size > mostFields) throw new Error(`It has ${fields.size} fields`);
      return readRedisBody(fields);
    });
  }
}

/** Runs a part of the queue's script. */
type RunRedis = (act: string, args: readonly string[]) => Promise<unknown>;

/** So many arguments at most in a call of the script, but for what must be sent as a whole. */
const mostArguments = 30_000;

/** Parts of a list, each of at most so many. */
function* slicesOf<T>(list: readonly T[], most: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += most) yield list.slice(from, from + most);
}

/** The dead letters of a queue in Redis. */
function deadLettersIn<T>(run: RunRedis): DeadLetters<T> {
  return deadLettersOf<T>(async (limit, after) => {
    const letters = await run("list", [`${limit}`, after ?? ""]) as [string, string[]][];
    return letters.map(([id, list]) => {
      const fields = readFields(list);
      const { deliveries, failures } = readCounts({ ...keptCounts(fields), isolations: 0 }).counts;
      return {
        id,
        body: readBody(fields) as T | null,
        reason: fields.get("reason") ?? "It cannot be read",
        deliveries,
        failures,
        diedAt: new Date(Number(fields.get("diedAt")) || 0),
      };
    });
  }, async (action, ids) => {
    if (ids === undefined) return Number(await run(action, ["all"]));
    let count = 0;
    for (const some of slicesOf(ids, mostArguments)) {
      count += Number(await run(action, ["some", ...some]));
    }
    return count;
  });
}

/** What could not be read is why it is here. */
function readBody(fields: ReadonlyMap<string, string>): string | Uint8Array | null {
  try {
    return readRedisBody(fields);
  } catch {
    return null;
  }
}

/** How `redisQueue` works. */
export interface RedisQueueOptions {
  /** What the keys of the queue begin with, as `{key}:stream`; neither empty nor with braces. */
  key: string;
  /**
   * How often an idle worker looks for messages that were given back or whose lease is over, in milliseconds, a positive
   * integer; new messages wake it at once. Default: 500.
   */
  pollMs?: number | undefined;
  /** How many replicas must have what is sent before `send` fulfils, an integer. Default: 0. */
  replicas?: number | undefined;
  /** How long `send` waits for the replicas, in milliseconds, a positive integer. Default: 1,000. */
  replicaWaitMs?: number | undefined;
}

/** A queue in streams of Redis. */
export interface RedisQueueSource<T = unknown> extends QueueSource<T> {
  /** The messages that were given up. */
  readonly dead: DeadLetters<T>;
  /**
   * Adds messages, in order, all or none. If it rejects because of missing replicas, the messages are in the queue.
   *
   * @throws {TypeError} If a body is neither text nor a `Uint8Array`, has a lone surrogate, or an option is of the wrong
   * type, or unknown.
   * @throws {RangeError} If there is not an id or key for each body, a number is out of its range, or there are more
   * than 250,000 bodies.
   * @throws {Error} If fewer than `replicas` have it in time, or the server's memory is at its limit.
   */
  send(bodies: readonly T[], options?: SendOptions): Promise<void>;
  /**
   * For how long the oldest message has been due, in milliseconds, leased or not; 0 if there is none. Only the first of
   * the stream and those that wait after a failure are looked at.
   */
  oldestAgeMs(): Promise<number>;
}

/** Redis takes at most 1,048,576 arguments, four of each message. */
const mostSent = 250_000;

/** Longer is no use: another wait begins. */
const longestBlockMs = 5_000;

type RedisSettings = {
  readonly [Name in keyof RedisQueueOptions]-?: NonNullable<RedisQueueOptions[Name]>;
};

class RedisQueue<T extends string | Uint8Array> extends PolledQueue<T>
  implements RedisQueueSource<T> {
  readonly dead: DeadLetters<T>;
  readonly #client: RedisClient;
  readonly #keys: readonly string[];
  readonly #options: RedisSettings;
  readonly #worker = crypto.randomUUID();
  #hash: Promise<string> | undefined;
  /** Behind which entry new ones come, and in how many milliseconds one is due that waits, if there is any. */
  #last = "";
  #dueMs = "";
  #blocking: Promise<BlockingRedis> | undefined;
  #isBlocked = false;

  constructor(client: RedisClient, options: RedisSettings) {
    super();
    this.#client = client;
    this.#keys = redisKeys(options.key);
    this.#options = options;
    this.dead = deadLettersIn<T>((act, args) => this.#run(act, args));
  }

  /** By the end of its name others know how long it leases. */
  get #consumer(): string {
    return `${this.#worker}:${this.leaseMs}`;
  }

  protected async connect(): Promise<void> {
    this.see(await this.#run("open") as string);
  }

  protected async lease(max: number, maxBytes?: number): Promise<Delivery<T>[]> {
    const most = maxBytes === undefined ? "" : `${Math.floor(maxBytes)}`;
    const [tag, last, dueMs, ...entries] = await this.#run(
      "receive",
      [this.#consumer, `${max}`, most],
    ) as [string, string, string, ...RedisEntry[]];
    this.see(tag);
    this.#last = last;
    this.#dueMs = dueMs;
    const deliveries = entries.map((entry) => new RedisDelivery<T>(entry, tag));
    await this.#checkTexts(deliveries);
    return deliveries;
  }

  protected idleMs(leftMs: number): number {
    void this.#block(this.#last, leftMs);
    const soonMs = this.#dueMs === "" ? Infinity : Math.max(1, Number(this.#dueMs));
    return Math.min(this.#options.pollMs, soonMs);
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    const ours = this.ours<RedisDelivery<T>>(receipts);
    const names = ours.flatMap(({ entry, name, key }) => [entry, name, key]);
    for (const some of slicesOf(names, mostArguments)) {
      await this.#run("ack", [ours[0]!.tag, ...some]);
    }
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    await this.#runHeld("nack", [], receipts);
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    await this.#runHeld("fail", [`${Math.ceil(delayMs)}`], receipts);
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    const held = this.#held([receipt]);
    if (held.length > 0) {
      await this.#run("isolate", [this.#consumer, ...held, `${Math.ceil(delayMs)}`]);
    }
  }

  async orphans(): Promise<number> {
    return Number(await this.#run("orphans"));
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    await this.#runHeld("extend", [], receipts);
  }

  async deadLetter({ id, receipt }: Delivery<T>, reason: unknown): Promise<void> {
    const held = this.#held([receipt]);
    if (held.length === 0) return;
    await this.#run("deadLetter", [this.#consumer, ...held, id, describeReason(reason)]);
  }

  async send(bodies: readonly T[], options: SendOptions = {}): Promise<void> {
    checkSend(bodies, options);
    if (bodies.length === 0) return;
    if (bodies.length > mostSent) {
      throw new RangeError(`Cannot send: bodies must be at most ${mostSent}, got ${bodies.length}`);
    }
    const { ids, keys, notBefore, rememberMs } = options;
    const messages = bodies.flatMap((body, index) => [
      ...(typeof body === "string" ? ["text", body] : ["base64", encodeBase64(body as Uint8Array)]),
      ids?.[index] ?? "",
      keys?.[index] ?? "",
    ]);
    await this.#run("send", [`${notBefore?.getTime() ?? ""}`, `${rememberMs ?? ""}`, ...messages]);
    const { replicas, replicaWaitMs } = this.#options;
    if (replicas === 0) return;
    const wait = ["WAIT", `${replicas}`, `${replicaWaitMs}`];
    const count = Number(await sendRedis(this.#client, wait));
    if (count < replicas) {
      throw new Error(
        `Cannot send: ${count} of ${replicas} replicas have it within ${replicaWaitMs} ms`,
      );
    }
  }

  async depth(): Promise<QueueDepth> {
    const [waiting, leased, dead] = (await this.#run("depth") as number[]).map(Number);
    return { waiting: waiting!, leased: leased!, dead: dead! };
  }

  async oldestAgeMs(): Promise<number> {
    return Math.max(0, Number(await this.#run("oldest")));
  }

  async close(): Promise<void> {
    const blocking = this.#blocking;
    this.#blocking = undefined;
    const opened = await blocking?.catch(() => undefined);
    opened?.close();
  }

  /** Finds texts that are no UTF-8: the client has put U+FFFD where its own were none. */
  async #checkTexts(deliveries: readonly RedisDelivery<T>[]): Promise<void> {
    const countMarks = (text: string) => text.split("\ufffd").length - 1;
    const doubtful = deliveries.filter(({ body }) =>
      typeof body === "string" && body.includes("\ufffd")
    );
    if (doubtful.length === 0) return;
    const counts = await this.#run("marks", doubtful.map(({ entry }) => entry)) as number[];
    for (const [index, delivery] of doubtful.entries()) {
      if (countMarks(delivery.body as string) === Number(counts[index])) continue;
      delivery.flaw ??= { reason: new TypeError("Its text is not UTF-8") };
    }
  }

  #held(receipts: readonly Receipt[]): string[] {
    return this.ours<RedisDelivery<T>>(receipts)
      .flatMap(({ entry, count }) => [entry, `${count}`]);
  }

  /** For receipts that are still ours, and no others. */
  async #runHeld(
    act: "nack" | "fail" | "extend",
    args: readonly string[],
    receipts: readonly Receipt[],
  ): Promise<void> {
    for (const some of slicesOf(this.#held(receipts), mostArguments)) {
      await this.#run(act, [this.#consumer, ...args, ...some]);
    }
  }

  /** By its hash, once the server knows the script. */
  async #run(act: string, args: readonly string[] = []): Promise<unknown> {
    const tag = crypto.randomUUID().slice(-12);
    const rest = [`${this.#keys.length}`, ...this.#keys, act, tag, ...args];
    const hash = await (this.#hash ??= digestText("SHA-1", redisScript));
    try {
      return await sendRedis(this.#client, ["EVALSHA", hash, ...rest]);
    } catch (error) {
      if (!/NOSCRIPT/.test(String((error as Error | undefined)?.message))) throw error;
      return await sendRedis(this.#client, ["EVAL", redisScript, ...rest]);
    }
  }

  /** Waits for what comes behind `last`, on a connection of its own: it takes nothing, and may be forgotten. */
  async #block(last: string, leftMs: number): Promise<void> {
    if (this.#isBlocked) return;
    this.#isBlocked = true;
    const opening = this.#blocking ??= openBlocking(this.#client);
    try {
      const blocking = await opening;
      const ms = `${Math.ceil(Math.min(longestBlockMs, leftMs))}`;
      const args = ["XREAD", "COUNT", "1", "BLOCK", ms, "STREAMS", this.#keys[0]!, last];
      if (await blocking.send(args) !== null) this.arrivals.notify();
    } catch {
      // What is wrong shows in the next lease; until then it is looked for.
      const opened = await opening.catch(() => undefined);
      opened?.close();
      if (this.#blocking === opening) this.#blocking = undefined;
    } finally {
      this.#isBlocked = false;
    }
  }
}

/**
 * A queue in a stream of Redis 7 or Valkey, for any number of machines that reach it. What is acknowledged is deleted.
 *
 * Each call is one script, so that it happens as a whole or not at all. Workers are consumers of the stream's group
 * `hosepipe`, read with `XREADGROUP`, and claim what others' leases are over of. Leases and delays use the server's
 * clock alone. Idle workers wait with `XREAD BLOCK` on a connection of their own. Other programs send by
 * `XADD {key}:stream * text …`. The server must not evict keys (`noeviction`), and is as durable as its `appendonly`
 * and `appendfsync` say. At its `maxmemory` it takes no more messages, and workers go on.
 *
 * @typeParam T What a message is: text or bytes.
 * @param client A client of npm's `redis` that is connected, or of npm's `ioredis`; it stays yours to close.
 * @param options The keys' beginning.
 * @returns The queue, for a `Consumer`, and for `send`.
 * @throws {TypeError} If the client is neither, the key is not one, or an option is unknown.
 * @throws {RangeError} If a number is out of range.
 *
 * @example One message of a key at a time
 * ```ts
 * import { redisQueue } from "@hosepipe/streams/queue/redis";
 * import assert from "node:assert/strict";
 * import { createClient } from "redis";
 * import process from "node:process";
 *
 * if (process.env.REDIS_URI !== undefined) {
 *   const client = await createClient({ url: process.env.REDIS_URI }).connect();
 *   const queue = redisQueue<string>(client, { key: "example" });
 *   await queue.send(["paid", "shipped"], { keys: ["order-1", "order-1"] });
 *
 *   const { signal } = new AbortController();
 *   for (const body of ["paid", "shipped"]) {
 *     const deliveries = await queue.receive(10, { waitMs: 0, signal });
 *     assert.deepEqual(deliveries.map((delivery) => delivery.body), [body]);
 *     await queue.ack(deliveries.map(({ receipt }) => receipt));
 *   }
 *   await queue.close();
 *   await client.close();
 * }
 * ```
 */
export function redisQueue<T extends string | Uint8Array = string>(
  client: RedisClient,
  options: RedisQueueOptions,
): RedisQueueSource<T> {
  const action = "create redisQueue";
  const { call, sendCommand, duplicate } = (client ?? {}) as unknown as Record<string, unknown>;
  if (typeof call !== "function" && typeof sendCommand !== "function") {
    throwTypeError(action, "client", "a client of redis or ioredis", client);
  }
  checkFunction(action, "client.duplicate", duplicate);
  const settings = readOptions(action, options ?? {} as RedisQueueOptions, {
    key: textLike("text without braces that is not empty", /^[^{}]+$/),
    pollMs: integer(500),
    replicas: integer(0, 0),
    replicaWaitMs: integer(1_000),
  });
  return new RedisQueue<T>(client, settings);
}
