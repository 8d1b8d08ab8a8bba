import { checkFunction, throwTypeError } from "../../errors.ts";
import { integer, readOptions, textLike } from "../../read_options.ts";
import { checkSend, deadLettersOf } from "./check_send.ts";
import { describeReason } from "./describe_reason.ts";
import { newLeaseNumber } from "./lease_number.ts";
import {
  isPostgresClient,
  listen,
  type PostgresClient,
  type PostgresTransaction,
} from "./postgres_client.ts";
import { PolledQueue } from "./polled_queue.ts";
import { PostgresTables } from "./postgres_tables.ts";
import { decodeUtf8, KeptDelivery } from "./read_counts.ts";
import type {
  DeadLetters,
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  SendOptions,
} from "../queue_source.ts";

/** A row of a lease. */
interface PostgresMessageRow {
  readonly row: string;
  readonly size: string;
  readonly name: string | null;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly isText: boolean;
  readonly isMissing: boolean;
  readonly text: string | null;
  readonly bytes: Uint8Array | null;
  readonly tag: string;
}

/** What a row has as its body; text with NUL is kept as bytes, as PostgreSQL's text has none. Throws if it is no text. */
function readPostgresBody(
  { text, bytes, isText }: Pick<PostgresMessageRow, "text" | "bytes" | "isText">,
): string | Uint8Array | null {
  if (text !== null || bytes === null) return text;
  if (isText) return decodeUtf8(bytes);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A message as a lease hands it over. */
class PostgresDelivery<T> extends KeptDelivery<T> {
  readonly row: string;
  readonly lease: number;
  readonly id: string;

  constructor(
    found: PostgresMessageRow,
    lease: number,
    load: (delivery: PostgresDelivery<T>) => Promise<boolean>,
  ) {
    const { row, tag, name, deliveries, failures, isolations, isMissing, size } = found;
    super(tag, { deliveries, failures, isolations });
    this.row = row;
    this.lease = lease;
    this.id = name ?? `${tag}-${row}`;
    if (isMissing || found.text !== null || found.bytes !== null) {
      this.readBody(() => readPostgresBody(found));
    } else {
      this.bytes = Number(size);
      this.load = () => load(this);
    }
  }
}

type Row =
  & Pick<PostgresMessageRow, "text" | "bytes" | "isText" | "deliveries" | "failures">
  & { readonly id: string; readonly reason: string; readonly diedAt: string };

/** The dead letters of a queue in PostgreSQL. */
function deadLettersIn<T>(tables: PostgresTables, channel: string): DeadLetters<T> {
  return deadLettersOf<T>(async (limit, after) => {
    const rows = await tables.run("listDead", [after ?? null, `${limit}`]);
    return (rows as unknown as Row[]).map((row) => ({
      id: row.id,
      body: readBody(row) as T | null,
      reason: row.reason,
      deliveries: row.deliveries,
      failures: row.failures,
      diedAt: new Date(Number(row.diedAt)),
    }));
  }, async (action, ids) => {
    const chosen = JSON.stringify(ids) ?? null;
    const [row] = action === "replay"
      ? await tables.run("replayDead", [chosen, channel])
      : await tables.run("purgeDead", [chosen]);
    return Number(row!.count);
  });
}

/** What is no text may be why it is here: it is given as bytes. */
function readBody(row: Row): string | Uint8Array | null {
  try {
    return readPostgresBody(row);
  } catch {
    return row.bytes;
  }
}

/** How `postgresQueue` works. */
export interface PostgresQueueOptions {
  /**
   * Name of the table of messages, of at most 40 lower-case letters, digits and `_`, perhaps with its schema before a
   * dot. The dead letters are in `<table>_dead`. All it needs is made if it is not there.
   */
  table: string;
  /**
   * How often an idle worker looks for messages whose delay or lease is over, in milliseconds, a positive integer; new
   * messages wake it at once. Default: 500.
   */
  pollMs?: number | undefined;
}

/** A queue in a table of PostgreSQL. */
export interface PostgresQueueSource<T = unknown> extends QueueSource<T> {
  /** The messages that were given up. */
  readonly dead: DeadLetters<T>;
  /**
   * Adds messages, in order, all or none.
   *
   * @throws {TypeError} If a body is neither text nor a `Uint8Array`, has a lone surrogate, or an option is of the wrong
   * type, or unknown.
   * @throws {RangeError} If there is not an id or key for each body, or a number is out of its range.
   */
  send(bodies: readonly T[], options?: SendOptions): Promise<void>;
  /**
   * Adds messages in a transaction of yours, so that they are there if it is committed and not if it is rolled back: an
   * outbox. A failure is one of the transaction, as that of any statement.
   *
   * @param transaction The `sql` in a `begin` of npm's `postgres`, or a client of npm's `pg` after `BEGIN`.
   * @param bodies What to send, in order.
   * @param options As of `send`.
   * @throws {TypeError} As `send`, and if `transaction` cannot run statements.
   * @throws {RangeError} As `send`.
   */
  sendIn(
    transaction: PostgresTransaction,
    bodies: readonly T[],
    options?: SendOptions,
  ): Promise<void>;
  /** For how long the oldest message has been due, in milliseconds, leased or not; 0 if there is none. */
  oldestAgeMs(): Promise<number>;
}

type Held = readonly [ids: string, leases: string];

/** Rows and leases as two of PostgreSQL's arrays. */
function toArrays(receipts: readonly Receipt[]): Held {
  const held = receipts as readonly PostgresDelivery<unknown>[];
  return [`{${held.map(({ row }) => row)}}`, `{${held.map(({ lease }) => lease)}}`];
}

function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** The database's encoding has no such character. */
const untranslatable = "22P05";
function isUntranslatable(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === untranslatable;
}

/** Waits for a send; what cannot be kept in this database is the sender's fault. */
async function refusing(sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (cause) {
    if (!isUntranslatable(cause)) throw cause;
    const why = "the database's encoding lacks a character of bodies, ids or keys";
    throw new TypeError(`Cannot send: ${why}`, { cause });
  }
}

const noLimit = "9223372036854775807";

class PostgresQueue<T extends string | Uint8Array> extends PolledQueue<T>
  implements PostgresQueueSource<T> {
  readonly dead: DeadLetters<T>;
  readonly #client: PostgresClient;
  readonly #tables: PostgresTables;
  readonly #channel: string;
  readonly #pollMs: number;
  #listening: Promise<(() => Promise<void>) | undefined> | undefined;

  constructor(client: PostgresClient, table: string, pollMs: number) {
    super();
    this.#client = client;
    this.#tables = new PostgresTables(client, table);
    this.#channel = `hosepipe ${table}`;
    this.#pollMs = pollMs;
    this.dead = deadLettersIn<T>(this.#tables, this.#channel);
  }

  protected async connect(): Promise<void> {
    const [row] = await this.#tables.run("tag", []);
    if (row === undefined) throw new Error("The queue's table of its tag is empty");
    this.see(row.tag as string);
  }

  protected idleMs(): number {
    this.#listen();
    return this.#pollMs;
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    // No matter what has the lease now: the work is done. What is of tables that were dropped is gone with them.
    const rows = this.ours<PostgresDelivery<T>>(receipts);
    if (rows.length === 0) return;
    await this.#tables.run("ack", [`{${rows.map(({ row }) => row)}}`, rows[0]!.tag]);
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    await this.#tables.run("nack", [...toArrays(receipts), this.#channel]);
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    await this.#tables.run("fail", [...toArrays(receipts), `${Math.ceil(delayMs)}`]);
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    await this.#tables.run("isolate", [...toArrays([receipt]), `${Math.ceil(delayMs)}`]);
  }

  async orphans(): Promise<number> {
    const [row] = await this.#tables.run("orphans", []);
    return Number(row!.count);
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    await this.#tables.run("extend", toArrays(receipts));
  }

  async deadLetter({ id, receipt }: Delivery<T>, reason: unknown): Promise<void> {
    const bury = (words: string) =>
      this.#tables.run("deadLetter", [...toArrays([receipt]), id, words]);
    const words = describeReason(reason);
    try {
      await bury(words);
    } catch (error) {
      if (!isUntranslatable(error)) throw error;
      await bury(words.replaceAll(/[^\0-\x7f]/gu, "?"));
    }
  }

  async send(bodies: readonly T[], options: SendOptions = {}): Promise<void> {
    const values = this.#readSend(bodies, options);
    if (bodies.length > 0) await refusing(this.#tables.run("send", values));
  }

  async sendIn(
    transaction: PostgresTransaction,
    bodies: readonly T[],
    options: SendOptions = {},
  ): Promise<void> {
    if (!isPostgresClient(transaction)) {
      throwTypeError("send", "transaction", "a transaction of postgres or pg", transaction);
    }
    const values = this.#readSend(bodies, options);
    if (bodies.length > 0) await refusing(this.#tables.runIn(transaction, "send", values));
  }

  async depth(): Promise<QueueDepth> {
    const [row] = await this.#tables.run("depth", []);
    const { waiting, leased, dead } = row!;
    return { waiting: Number(waiting), leased: Number(leased), dead: Number(dead) };
  }

  async oldestAgeMs(): Promise<number> {
    const [row] = await this.#tables.run("oldest", []);
    return Math.max(0, Number(row!.age ?? 0));
  }

  async close(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    const end = await listening;
    await end?.();
  }

  #readSend(bodies: readonly T[], options: SendOptions): (string | null)[] {
    checkSend(bodies, options);
    const { ids, keys, notBefore, rememberMs } = options;
    const messages = bodies.map((body, index) => {
      const names = { n: ids?.[index], k: keys?.[index] };
      if (typeof body !== "string") return { b: toHex(body as Uint8Array), ...names };
      if (!body.includes("\0")) return { t: body, ...names };
      return { b: toHex(new TextEncoder().encode(body)), s: true, ...names };
    });
    return [
      JSON.stringify(messages),
      notBefore === undefined ? null : `${notBefore.getTime()}`,
      rememberMs === undefined ? null : `${rememberMs}`,
      this.#channel,
    ];
  }

  protected async lease(max: number, maxBytes?: number): Promise<PostgresDelivery<T>[]> {
    const lease = newLeaseNumber();
    // With a limit none is read at once that is more than its share of it, so that together they are below it.
    const most = maxBytes === undefined ? noLimit : `${Math.floor(maxBytes / max)}`;
    const all = maxBytes === undefined ? noLimit : `${Math.floor(maxBytes)}`;
    const rows = await this.#tables.run("receive", [
      ...[`${max}`, all, `${this.leaseMs}`, `${lease}`, most],
    ]) as unknown as PostgresMessageRow[];
    if (rows.length > 0) this.see(rows[0]!.tag);
    return rows.map((row) => new PostgresDelivery<T>(row, lease, this.#load));
  }

  /** Reads the body of a message whose turn has come. */
  readonly #load = async (delivery: PostgresDelivery<T>): Promise<boolean> => {
    const { row, lease } = delivery;
    const [found] = await this.#tables.run("load", [row, `${lease}`]);
    if (found === undefined) return false;
    delivery.readBody(() => readPostgresBody(found as unknown as PostgresMessageRow));
    return true;
  };

  /** Learns of new messages from now on; where that is not to be had they are found by looking. */
  #listen(): void {
    // A pool of one would have no connection left.
    const { options } = this.#client as { options?: { max?: unknown } };
    if (options?.max === 1) return;
    this.#listening ??= listen(
      this.#client,
      this.#channel,
      () => this.arrivals.notify(),
      () => {
        this.#listening = undefined;
        // Who sleeps is to hear again.
        this.arrivals.notify();
      },
    ).then((end) => {
      // What came before has woken no worker.
      this.arrivals.notify();
      return end;
    }, () => this.#listening = undefined);
  }
}

/**
 * A queue in a table of PostgreSQL, for any number of machines that reach the server. It uses `FOR UPDATE SKIP LOCKED`,
 * and `LISTEN` for idle workers, which takes one connection of your client for as long as the queue is open.
 *
 * Leases and delays use the server's clock alone. Each call is one statement, so your client may be any pool, one behind
 * a pooler of connections included; there, and with a pool of one, idle workers find messages by looking each `pollMs`.
 * Behind a pooler npm's `postgres` needs `prepare: false`; of `pg` nothing is prepared.
 * The server may be restarted at any time: the consumer then has an outage until it is back.
 *
 * @typeParam T What a message is: text or bytes.
 * @param client A `postgres()` of npm's `postgres`, or a `Pool` of npm's `pg`; it stays yours to end.
 * @param options The name of the table.
 * @returns The queue, for a `Consumer`, and for `send`.
 * @throws {TypeError} If the client is neither, a name is not one, or an option is unknown.
 * @throws {RangeError} If `pollMs` is out of range.
 *
 * @example Sent with your own rows, or not at all
 * ```ts
 * import { postgresQueue } from "@hosepipe/streams/queue/postgres";
 * import assert from "node:assert/strict";
 * import postgres from "postgres";
 * import process from "node:process";
 *
 * if (process.env.POSTGRES_URI !== undefined) {
 *   const sql = postgres(process.env.POSTGRES_URI, { onnotice: () => {} });
 *   const queue = postgresQueue<string>(sql, { table: "example_invoices" });
 *   await sql.begin(async (transaction) => {
 *     await transaction`CREATE TEMPORARY TABLE orders (id text)`;
 *     await transaction`INSERT INTO orders VALUES ('order-1')`;
 *     await queue.sendIn(transaction, ["an invoice for order 1"], { ids: ["order-1"] });
 *   });
 *   await queue.send(["the same again"], { ids: ["order-1"] });
 *   assert.deepEqual((await queue.depth()).waiting, 1);
 *
 *   const { signal } = new AbortController();
 *   const [message] = await queue.receive(10, { waitMs: 0, signal });
 *   assert.deepEqual(message!.body, "an invoice for order 1");
 *   await queue.ack([message!.receipt]);
 *   await sql.end();
 * }
 * ```
 */
export function postgresQueue<T extends string | Uint8Array = string>(
  client: PostgresClient,
  options: PostgresQueueOptions,
): PostgresQueueSource<T> {
  const action = "create postgresQueue";
  if (!isPostgresClient(client)) {
    throwTypeError(action, "client", "a postgres() or a Pool of pg", client);
  }
  const { unsafe, listen, connect } = client as unknown as Record<string, unknown>;
  if (unsafe !== undefined) checkFunction(action, "client.listen", listen);
  else checkFunction(action, "client.connect", connect);
  const { table, pollMs } = readOptions(action, options ?? {} as PostgresQueueOptions, {
    table: textLike(
      "a name of at most 40 of a-z, 0-9 and _",
      /^(?=.{1,40}$)[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/,
    ),
    pollMs: integer(500),
  });
  return new PostgresQueue<T>(client, table, pollMs);
}
