// Over 200 lines: one source, with a method for each thing that a consumer asks of a broker.
import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../../errors.ts";
import { pause } from "../insist.ts";
import { isKnownOutage } from "../is_known_outage.ts";
import type {
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
} from "../queue_source.ts";
import { describeReason } from "./describe_reason.ts";
import { sqliteStatements } from "./sqlite_statements.ts";

/** What a statement is given. */
export type SqliteValue = string | number | null | Uint8Array;

/** What is used of a prepared statement of `node:sqlite`. */
export interface SqliteStatement {
  /** Runs it and gives all rows. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs it. */
  run(...values: SqliteValue[]): unknown;
}

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
}

/** How `sqliteQueue` works. */
export interface SqliteQueueOptions {
  /** Name of the table of messages; the dead letters are in `<table>_dead`. All it needs is made if it is not there. */
  table: string;
  /** How often an empty queue is looked at again, in milliseconds, a positive integer. Default: 20. */
  pollMs?: number | undefined;
}

interface Row {
  readonly row: number;
  readonly body: unknown;
  /** Numbers as JSON: deliveries, failures, isolations, and 1 if the body is text kept as bytes. */
  readonly account: string | null;
}

/** The account of a message that nothing has happened to. */
const newAccount = [1, 0, 0, 0] as const;

/** A message as a lease hands it over: one object, since there are many. */
class SqliteDelivery<T> implements Delivery<T>, Receipt {
  readonly body: T;
  readonly row: number;
  readonly lease: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly #tag: string;

  constructor({ row, body, account }: Row, tag: string, lease: number) {
    const [deliveries, failures, isolations, isText] = account === null
      ? newAccount
      : JSON.parse(account) as readonly [number, number, number, number];
    this.#tag = tag;
    this.body = (isText === 1 ? decodeText(body) : body) as T;
    this.row = row;
    this.lease = lease;
    this.deliveries = deliveries;
    this.failures = failures;
    this.isolations = isolations;
  }

  get id(): string {
    return `${this.#tag}-${this.row}`;
  }

  get receipt(): Receipt {
    return this;
  }
}

type Statements = Record<keyof ReturnType<typeof sqliteStatements>["prepared"], SqliteStatement>;

const busyTimeoutMs = 10;
const busyPatienceMs = 5_000;
const never = new AbortController().signal;

/** Rows and leases as one value for `json_each`. */
function toJson(receipts: readonly Receipt[]): string {
  return JSON.stringify(
    (receipts as readonly SqliteDelivery<unknown>[]).map(({ row, lease }) => [row, lease]),
  );
}

/** Whether each is one more than that before it. */
function isRange(rows: readonly number[]): boolean {
  return rows.every((row, index) => row === rows[0]! + index);
}

/** A number that no other lease has, and that a row has room for. */
function newLease(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! & 0xffff) * 2 ** 32 + low!;
}

function decodeText(bytes: unknown): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes as Uint8Array);
}

class SqliteQueue<T extends string | Uint8Array> implements QueueSource<T> {
  readonly #database: SqliteDatabase;
  readonly #table: string;
  readonly #pollMs: number;
  #statements: Statements | undefined;
  /** Part of every id: that of a table which was dropped and made again is another. */
  #tag = "";
  #leaseMs = 30_000;

  constructor(database: SqliteDatabase, table: string, pollMs: number) {
    this.#database = database;
    this.#table = table;
    this.#pollMs = pollMs;
  }

  async open(leaseMs: number): Promise<void> {
    this.#leaseMs = leaseMs;
    await this.#run(() => {});
  }

  async receive(max: number, { waitMs, signal }: ReceiveOptions): Promise<Delivery<T>[]> {
    const until = performance.now() + waitMs;
    while (!signal.aborted) {
      const lease = newLease();
      const deliveries = await this.#run(({ receive, read }) => {
        const now = Date.now();
        receive.run(now + this.#leaseMs, this.#leaseMs, lease, now, max);
        const rows = read.all(lease) as Row[];
        return rows.map((row) => new SqliteDelivery<T>(row, this.#tag, lease));
      }, signal);
      if (deliveries === undefined) break;
      if (deliveries.length > 0) return deliveries;
      const leftMs = until - performance.now();
      if (leftMs <= 0) break;
      await pause(Math.min(this.#pollMs, leftMs), signal);
    }
    return [];
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    // No matter what has the lease now: the work is done.
    const rows = (receipts as readonly SqliteDelivery<T>[]).map(({ row }) => row);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.#run(({ ack, removeBodies, ackRange, removeBodyRange }) =>
      this.#atOnce(() => {
        if (isRange(rows)) {
          ackRange.run(first, last);
          removeBodyRange.run(first, last);
        } else {
          const json = JSON.stringify(rows);
          ack.run(json);
          removeBodies.run(json);
        }
      })
    );
  }

  async giveBack(receipts: readonly Receipt[]): Promise<void> {
    const held = toJson(receipts);
    await this.#run(({ giveBack }) => giveBack.run(held));
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const held = toJson(receipts);
    await this.#run(({ fail }) => fail.run(Date.now() + delayMs, delayMs, held));
  }

  async isolate(receipt: Receipt): Promise<void> {
    const held = toJson([receipt]);
    await this.#run(({ isolate }) => isolate.run(held));
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    const held = toJson(receipts);
    await this.#run(({ extend }) => extend.run(Date.now() + this.#leaseMs, this.#leaseMs, held));
  }

  async deadLetter({ receipt }: Delivery<T>, reason: unknown): Promise<void> {
    const held = toJson([receipt]);
    await this.#run(({ bury, removeDead, removeDeadBodies }) =>
      this.#atOnce(() => {
        bury.run(describeReason(reason), Date.now(), held);
        removeDead.run(held);
        removeDeadBodies.run(held);
      })
    );
  }

  async send(bodies: readonly T[]): Promise<void> {
    await this.#run(({ send, sendBody }) =>
      this.#atOnce(() => {
        for (const body of bodies) {
          // Deno's SQLite gives text only as far as its first NUL: such text is kept as bytes.
          const hasNul = typeof body === "string" && body.includes("\0");
          send.run();
          sendBody.run(hasNul ? new TextEncoder().encode(body) : body, hasNul ? 1 : 0);
        }
      })
    );
  }

  async depth(): Promise<QueueDepth> {
    const [depth] = await this.#run(({ depth }) => depth.all(Date.now()) as QueueDepth[]);
    const { waiting, leased, dead } = depth!;
    return { waiting, leased, dead };
  }

  close(): Promise<void> {
    this.#statements = undefined;
    return Promise.resolve();
  }

  /** All of it or nothing; a savepoint, since a transaction may be open. */
  #atOnce(action: () => void): void {
    this.#database.exec("SAVEPOINT hosepipe_queue");
    try {
      action();
    } catch (error) {
      this.#database.exec("ROLLBACK TO hosepipe_queue; RELEASE hosepipe_queue");
      throw error;
    }
    this.#database.exec("RELEASE hosepipe_queue");
  }

  #prepare(): Statements {
    if (this.#statements !== undefined) return this.#statements;
    const { create, tag, prepared } = sqliteStatements(this.#table);
    this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA journal_mode = WAL`);
    this.#atOnce(() => this.#database.exec(create));
    this.#tag = (this.#database.prepare(tag).all() as { tag: string }[])[0]!.tag;
    const statements = Object.entries(prepared).map(([name, sql]) =>
      [name, this.#database.prepare(sql)] as const
    );
    return this.#statements = Object.fromEntries(statements) as Statements;
  }

  /** Tries again while another process writes, and lets the event loop go on meanwhile. */
  async #run<R>(action: (statements: Statements) => R): Promise<R>;
  async #run<R>(
    action: (statements: Statements) => R,
    signal: AbortSignal,
  ): Promise<R | undefined>;
  async #run<R>(
    action: (statements: Statements) => R,
    signal: AbortSignal = never,
  ): Promise<R | undefined> {
    const until = performance.now() + busyPatienceMs;
    while (true) {
      try {
        return action(this.#prepare());
      } catch (error) {
        if (!isKnownOutage(error) || performance.now() > until) throw error;
      }
      await pause(2 + Math.random() * 10, signal);
      if (signal.aborted) return undefined;
    }
  }
}

/**
 * A queue in a table of SQLite, for all processes of one machine that open the file; it needs no server.
 *
 * The database is put into WAL mode, with a busy timeout of 10 ms: while another process writes, it waits without
 * blocking the event loop. Leases use the system's clock: if it is set forward they end early, which repeats messages
 * and loses none; if it is set back they end late, by at most their own length.
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
 * import { assertEquals } from "@std/assert";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send(["a"]);
 * const { signal } = new AbortController();
 * const [first] = await queue.receive(10, { waitMs: 0, signal });
 * await queue.fail([first!.receipt], new Error("no"), 0);
 *
 * const [again] = await queue.receive(10, { waitMs: 0, signal });
 * assertEquals([again!.id === first!.id, again!.deliveries, again!.failures], [true, 2, 1]);
 * await queue.deadLetter(again!, new Error("never"));
 * assertEquals(await queue.depth(), { waiting: 0, leased: 0, dead: 1 });
 * ```
 */
export function sqliteQueue<T extends string | Uint8Array = string>(
  database: SqliteDatabase,
  options: SqliteQueueOptions,
): QueueSource<T> {
  const action = "create sqliteQueue";
  for (const name of ["exec", "prepare"] as const) {
    checkFunction(action, `database.${name}`, database?.[name]);
  }
  checkOptions(action, options ?? {}, ["table", "pollMs"]);
  const { table, pollMs = 20 } = options ?? {};
  if (typeof table !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(table)) {
    throwTypeError(action, "table", "a name of letters, digits and _", table);
  }
  checkInteger(action, "pollMs", pollMs, 1);
  return new SqliteQueue<T>(database, table, pollMs);
}
