import { checkFunction } from "../../errors.ts";
import { integer, readOptions, textLike } from "../../read_options.ts";
import { checkSend, deadLettersOf } from "./check_send.ts";
import { describeReason } from "./describe_reason.ts";
import { newLeaseNumber } from "./lease_number.ts";
import { PolledQueue } from "./polled_queue.ts";
import { decodeUtf8, KeptDelivery } from "./read_counts.ts";
import {
  type PreparedStatements,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteTables,
} from "./sqlite_tables.ts";
import type {
  DeadLetter,
  DeadLetters,
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  SendOptions,
} from "../queue_source.ts";

/** A row of a lease. */
interface SqliteRow {
  readonly row: number;
  /** `null` if it is missing, or is read when its turn comes. */
  readonly body: unknown;
  /**
   * As JSON: deliveries, failures, isolations, 1 if the body is text kept as bytes, its bytes, the sender's id, and
   * what type the body has.
   */
  readonly account: string | null;
}

/** What a lease says of a message: the size is `null` if it has no body. */
type Account = readonly [
  deliveries: unknown,
  failures: unknown,
  isolations: unknown,
  isText: unknown,
  bytes: number | null,
  name: string | null,
  type?: string,
];

/** The account of a message that nothing has happened to. */
const newAccount: Account = [1, 0, 0, 0, 0, null];

class SqliteDelivery<T> extends KeptDelivery<T> {
  readonly row: number;
  readonly lease: number;
  /** The id that its sender gave it. */
  readonly name: string | null;

  constructor(
    { row, body, account }: SqliteRow,
    tag: string,
    lease: number,
    load: (delivery: SqliteDelivery<T>) => Promise<boolean>,
  ) {
    const [deliveries, failures, isolations, isText, bytes, name, type] = account === null
      ? newAccount
      : JSON.parse(account) as Account;
    super(tag, { deliveries, failures, isolations });
    this.row = row;
    this.lease = lease;
    this.name = name;
    if (body !== null) this.setBody(body, isText);
    else if (type === "integer" || type === "real") {
      this.setFlaw(new TypeError("Its body is a number"));
    } else if (bytes === null) this.readBody(() => null);
    else {
      this.bytes = bytes;
      this.load = () => load(this);
    }
  }

  setBody(body: unknown, isText: unknown): void {
    if (isText === 1 && body instanceof Uint8Array) this.readBody(() => decodeUtf8(body));
    else this.body = body as T;
  }

  get id(): string {
    return this.name ?? `${this.tag}-${this.row}`;
  }
}

interface Row extends Omit<DeadLetter, "body" | "diedAt"> {
  readonly body: string | Uint8Array | null;
  readonly isText: number | null;
  readonly diedAt: number;
}

// What is no text may be why it is here.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The dead letters of a queue in SQLite. */
function deadLettersIn<T>(tables: SqliteTables): DeadLetters<T> {
  return deadLettersOf<T>(async (limit, after) => {
    const rows = await tables.run(({ listDead }) => listDead.all(after ?? null, limit));
    return (rows as Row[]).map(({ body, isText, diedAt, ...rest }) => ({
      ...rest,
      body: (isText === 1 && body instanceof Uint8Array ? decoder.decode(body) : body) as T | null,
      diedAt: new Date(diedAt),
    }));
  }, async (action, ids) => {
    const json = JSON.stringify(ids) ?? null;
    if (action === "purge") {
      return (await tables.run(({ purgeDead }) => purgeDead.all(json))).length;
    }
    let count = 0;
    await tables.run(({ chooseDead, sendSpecial, replayBody, removeLetter }) =>
      tables.atOnce(() => {
        count = 0;
        const chosen = chooseDead.all(json) as {
          id: number;
          message: string;
          key: string | null;
        }[];
        for (const { id, message, key } of chosen) {
          // With the id that it had, so that what of it was stored is absorbed by its key. One that is in the queue
          // again stays among the dead.
          if (sendSpecial.all(Date.now(), 0, 0, message, key).length === 0) continue;
          replayBody.run(id);
          removeLetter.run(id);
          count++;
        }
      })
    );
    return count;
  });
}

/** How `sqliteQueue` works. */
export interface SqliteQueueOptions {
  /** Name of the table of messages; the dead letters are in `<table>_dead`. All it needs is made if it is not there. */
  table: string;
  /** How often an empty queue is looked at again, in milliseconds, a positive integer. Default: 20. */
  pollMs?: number | undefined;
}

/** What the clock is set back by at least, to be seen at once; and how often all holds are looked at at least. */
const leastStepMs = 500;
const longestLookMs = 60_000;

/** So many that have failed may be waiting in front of all others. */
const manyFailed = 1_000;

/** Rows and leases as one value for `json_each`. */
function toJson(receipts: readonly Receipt[]): string {
  return JSON.stringify(
    (receipts as readonly SqliteDelivery<unknown>[]).map(({ row, lease }) => [row, lease]),
  );
}

/** Whether it may be text that is no UTF-8, where SQLite gives U+FFFD. */
function isDoubtful(body: unknown): boolean {
  return typeof body === "string" && body.includes("\ufffd");
}

function bytesOf(statement: SqliteStatement, row: number): Uint8Array {
  const [found] = statement.all(row) as { body: Uint8Array }[];
  return found?.body ?? new Uint8Array();
}

/** A queue in a table of SQLite. */
export interface SqliteQueueSource<T = unknown> extends QueueSource<T> {
  /** The messages that were given up. */
  readonly dead: DeadLetters<T>;
  /**
   * Adds messages, in order, all or none; waits while another process writes.
   *
   * @throws {TypeError} If a body is neither text nor a `Uint8Array`, has a lone surrogate, or an option is of the wrong
   * type, or unknown.
   * @throws {RangeError} If there is not an id or key for each body, or a number is out of its range.
   */
  send(bodies: readonly T[], options?: SendOptions): Promise<void>;
  /**
   * Adds messages at once, in the transaction that is open on the database, so that they are there if it is committed
   * and not if it is rolled back: an outbox. With none open they are added by themselves.
   *
   * @param bodies What to send, in order.
   * @param options As of `send`.
   * @throws {TypeError} As `send`.
   * @throws {RangeError} As `send`.
   * @throws {Error} If another process is writing (`database is locked`): begin with `BEGIN IMMEDIATE` to wait for it.
   */
  sendSync(bodies: readonly T[], options?: SendOptions): void;
  /** For how long the oldest message has been due, in milliseconds, leased or not; 0 if there is none. */
  oldestAgeMs(): Promise<number>;
}

class SqliteQueue<T extends string | Uint8Array> extends PolledQueue<T>
  implements SqliteQueueSource<T> {
  readonly dead: DeadLetters<T>;
  readonly #tables: SqliteTables;
  readonly #pollMs: number;
  #failed = 0;
  /** How far the clock was ahead of what is never set, and when it is looked for holds that are too long though it is. */
  #ahead = -Infinity;
  #nextLook = -Infinity;

  constructor(database: SqliteDatabase, table: string, pollMs: number) {
    super();
    this.#tables = new SqliteTables(database, table, (tag) => this.see(tag));
    this.#pollMs = pollMs;
    this.dead = deadLettersIn<T>(this.#tables);
  }

  protected async connect(): Promise<void> {
    await this.#tables.run(() => {});
  }

  protected async lease(
    max: number,
    maxBytes: number | undefined,
    signal: AbortSignal,
  ): Promise<Delivery<T>[]> {
    const lease = (statements: PreparedStatements) => this.#lease(statements, max, maxBytes);
    return await this.#tables.run(lease, signal) ?? [];
  }

  protected idleMs(): number {
    return this.#pollMs;
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    // No matter what has the lease now: the work is done. What is of tables that were dropped is gone with them.
    const ours = this.ours<SqliteDelivery<T>>(receipts);
    if (ours.length === 0) return;
    const rows = JSON.stringify(ours.map(({ row }) => row));
    await this.#tables.run((statements) =>
      this.#tables.atOnceIn(statements, ours[0]!.tag, ({ ack, removeBodies }) => {
        removeBodies.run(rows);
        ack.run(rows);
      })
    );
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    const held = toJson(receipts);
    await this.#tables.run(({ nack }) => nack.run(held));
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const held = toJson(receipts);
    this.#failed += receipts.length;
    await this.#tables.run((statements) => {
      if (this.#failed > manyFailed) this.#tables.makeReady(statements);
      statements.fail.run(Date.now() + delayMs, delayMs, held);
    });
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    const held = toJson([receipt]);
    await this.#tables.run(({ isolate }) => isolate.run(delayMs, held));
  }

  async orphans(): Promise<number> {
    const [row] = await this.#tables.run(({ orphans }) => orphans.all(Date.now())) as {
      count: number;
    }[];
    return row!.count;
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    const held = toJson(receipts);
    await this.#tables.run(({ extend }) => extend.run(Date.now(), held));
  }

  async deadLetter({ id, receipt }: Delivery<T>, reason: unknown): Promise<void> {
    const held = toJson([receipt]);
    await this.#tables.run(({ deadLetter, removeDead, removeDeadBodies }) =>
      this.#tables.atOnce(() => {
        deadLetter.run(describeReason(reason), Date.now(), held, id);
        removeDeadBodies.run(held);
        removeDead.run(held);
      })
    );
  }

  async send(bodies: readonly T[], options: SendOptions = {}): Promise<void> {
    checkSend(bodies, options);
    await this.#tables.run((statements) => this.#send(statements, bodies, options));
  }

  sendSync(bodies: readonly T[], options: SendOptions = {}): void {
    checkSend(bodies, options);
    this.#tables.runNow((statements) => this.#send(statements, bodies, options));
  }

  async oldestAgeMs(): Promise<number> {
    const now = Date.now();
    const [row] = await this.#tables.run(({ oldest }) =>
      oldest.all(now) as { age: number | null }[]
    );
    return row!.age ?? 0;
  }

  async depth(): Promise<QueueDepth> {
    const [depth] = await this.#tables.run(({ depth }) => depth.all(Date.now()) as QueueDepth[]);
    const { waiting, leased, dead } = depth!;
    return { waiting, leased, dead };
  }

  close(): Promise<void> {
    this.#tables.forget();
    return Promise.resolve();
  }

  #lease(statements: PreparedStatements, max: number, maxBytes?: number): SqliteDelivery<T>[] {
    const tables = this.#tables;
    tables.checkFile();
    const { receive, isReady, receiveReady, release, read, leave, bytes: readBytes } = statements;
    const lease = newLeaseNumber();
    const now = Date.now();
    const until = now + this.leaseMs;
    const isByIndex = isReady.all().length > 0;
    if (isByIndex && this.#mayBeSetBack(now)) release.run(now);
    (isByIndex ? receiveReady : receive).run(until, this.leaseMs, lease, now, max);
    // With a limit none is read at once that is more than its share of it, so that together they are below it.
    const most = maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / max);
    const rows = read.all(lease, most, until) as SqliteRow[];
    if (!tables.areSame(statements)) {
      // Whose they are is not known: they come again.
      leave.run(lease, 0, until);
      return [];
    }
    const deliveries: SqliteDelivery<T>[] = [];
    let bytes = 0;
    for (const row of rows) {
      const delivery = new SqliteDelivery<T>(row, this.tag!, lease, this.#load);
      if (isDoubtful(row.body)) delivery.readBody(() => decodeUtf8(bytesOf(readBytes, row.row)));
      bytes += delivery.bytes ?? delivery.body?.length ?? 0;
      if (bytes > maxBytes! && deliveries.length > 0) {
        leave.run(lease, row.row, until);
        break;
      }
      deliveries.push(delivery);
    }
    return deliveries;
  }

  /** Reads the body of a message whose turn has come. */
  readonly #load = async (delivery: SqliteDelivery<T>): Promise<boolean> => {
    const { row, lease } = delivery;
    try {
      const [found] = await this.#tables.run(({ load }) => load.all(row, lease)) as {
        body: unknown;
        isText: number;
      }[];
      if (found === undefined) return false;
      if (found.body === null) delivery.readBody(() => null);
      else delivery.setBody(found.body, found.isText);
      if (isDoubtful(found.body)) {
        await this.#tables.run(({ bytes }) =>
          delivery.readBody(() => decodeUtf8(bytesOf(bytes, row)))
        );
      }
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ERR_STRING_TOO_LONG") throw error;
      delivery.flaw = { reason: error };
    }
    return true;
  };

  /** Whether the clock may have been set back since it was asked: at first, then, and now and then. */
  #mayBeSetBack(now: number): boolean {
    const monotonic = performance.now();
    const ahead = now - monotonic;
    const isSo = monotonic > this.#nextLook || ahead < this.#ahead - leastStepMs;
    this.#ahead = ahead;
    if (isSo) this.#nextLook = monotonic + longestLookMs;
    return isSo;
  }

  #send(
    statements: PreparedStatements,
    bodies: readonly T[],
    { ids, keys, notBefore, rememberMs }: SendOptions,
  ): void {
    const { send, sendSpecial, sendBody, forget, remember } = statements;
    const now = Date.now();
    const heldUntil = Math.max(0, notBefore?.getTime() ?? 0);
    const dueAt = Math.max(now, heldUntil);
    const isPlain = ids === undefined && keys === undefined && notBefore === undefined;
    this.#tables.atOnce(() => {
      if (keys !== undefined || notBefore !== undefined) this.#tables.makeReady(statements);
      if (rememberMs !== undefined) forget.run(now);
      for (const [index, body] of bodies.entries()) {
        if (isPlain) send.run(now);
        else {
          const id = ids?.[index] ?? null;
          const until = now + (rememberMs ?? 0);
          if (rememberMs !== undefined && remember.all(id, until).length === 0) continue;
          const key = keys?.[index] ?? null;
          if (sendSpecial.all(dueAt, heldUntil, dueAt - now, id, key).length === 0) continue;
        }
        // Deno's SQLite gives text only as far as its first NUL: such text is kept as bytes.
        const hasNul = typeof body === "string" && body.includes("\0");
        sendBody.run(hasNul ? new TextEncoder().encode(body) : body, hasNul ? 1 : 0);
      }
      // Not in a file that no other process finds.
      this.#tables.checkFile();
    });
  }
}

/**
 * A queue in a table of SQLite, for all processes of one machine that open the file; it needs no server.
 *
 * The database is put into WAL mode, with a busy timeout of 10 ms: while another process writes, it waits without
 * blocking the event loop. Leases use the system's clock: if it is set forward they end early, which repeats messages
 * and loses none; if it is set back they end late, by at most their own length.
 *
 * `send` waits while another process writes, so that other work may come between; `sendSync` belongs to your own
 * transaction. If the file is removed or replaced while it is open, the queue has an outage until the process opens it
 * again: SQLite would go on with a file that no other process finds.
 *
 * @typeParam T What a message is: text or bytes.
 * @param database A `DatabaseSync` of `node:sqlite`, or another with the same methods; it stays yours to close.
 * @param options The table.
 * @returns A queue for a `Consumer`.
 * @throws {TypeError} If the database lacks a method, an option is of the wrong type, unknown, or no name of a table.
 * @throws {RangeError} If `pollMs` is not a positive integer.
 *
 * @example A failure is counted, and the fifth is the last
 * ```ts
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send(["a"]);
 * const { signal } = new AbortController();
 * const [first] = await queue.receive(10, { waitMs: 0, signal });
 * await queue.fail([first!.receipt], new Error("no"), 0);
 *
 * const [again] = await queue.receive(10, { waitMs: 0, signal });
 * assert.deepEqual([again!.id === first!.id, again!.deliveries, again!.failures], [true, 2, 1]);
 * await queue.deadLetter(again!, new Error("never"));
 * assert.deepEqual(await queue.depth(), { waiting: 0, leased: 0, dead: 1 });
 * ```
 */
export function sqliteQueue<T extends string | Uint8Array = string>(
  database: SqliteDatabase,
  options: SqliteQueueOptions,
): SqliteQueueSource<T> {
  const action = "create sqliteQueue";
  for (const name of ["exec", "prepare"] as const) {
    checkFunction(action, `database.${name}`, database?.[name]);
  }
  const { table, pollMs } = readOptions(action, options ?? {} as SqliteQueueOptions, {
    table: textLike("a name of letters, digits and _", /^(?!sqlite_)[a-z_][a-z0-9_]*$/i),
    pollMs: integer(20),
  });
  return new SqliteQueue<T>(database, table, pollMs);
}
