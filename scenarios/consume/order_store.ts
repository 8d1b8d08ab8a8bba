import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Output } from "../../src/queue/mod.ts";

/** A line of an order, as it is stored. */
export interface OrderLine {
  readonly order: number;
  readonly line: number;
  /** How many lines the order has. */
  readonly lines: number;
  readonly amount: number;
}

/** The lines that order number `order` has: 1 to 3, their amounts by a fixed rule. */
function linesOf(order: number): OrderLine[] {
  const lines = 1 + order % 3;
  return Array.from({ length: lines }, (_, line) => ({
    order,
    line,
    lines,
    amount: 1 + (order * 31 + line * 7) % 1_000,
  }));
}

/** An order as a message: a line of text for each of its lines, and `padding` bytes besides. */
export function toMessage(order: number, padding = 0): string {
  const text = linesOf(order).map(({ line, lines, amount }) =>
    `${order} ${line} ${lines} ${amount}`
  )
    .join("\n");
  return padding === 0 ? text : `${text} ${"x".repeat(padding)}`;
}

/** Reads one line of a message; throws if it is none. */
export function toOrderLine(text: string): OrderLine {
  const match = /^(\d+) (\d+) (\d+) (\d+)(?: x*)?$/.exec(text);
  if (match === null) {
    throw new Error(`Not a line of an order: ${JSON.stringify(text.slice(0, 50))}`);
  }
  const [order, line, lines, amount] = match.slice(1).map(Number);
  return { order: order!, line: line!, lines: lines!, amount: amount! };
}

/** What a store has. */
export interface StoreSummary {
  /** Orders all of whose lines are there, dead letters aside. */
  readonly orders: number;
  readonly lines: number;
  /** Lines that were written again, and absorbed. */
  readonly repeats: number;
  /** Lines that are not what their order has, and orders with a line too few: of a dead letter, or a fault. */
  readonly wrong: number;
  /** Lines that are there under two keys; each is among the wrong ones, too. */
  readonly doubled: number;
  readonly incomplete: number;
  /** The highest number of an order; -1 if there is none. */
  readonly lastOrder: number;
}

const busyTimeoutMs = 10;

function isBusy(error: unknown): boolean {
  return /database .*is locked/.test(String((error as Error)?.message));
}

/** Lines of orders in a table of SQLite, once each: a key that already exists is counted, and left alone. */
export class OrderStore {
  readonly #database: DatabaseSync;
  readonly #insert;
  /** Lines stored, and lines that were there already, by this process. */
  stored = 0;
  repeats = 0;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA busy_timeout = ${busyTimeoutMs};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS lines (
        key TEXT PRIMARY KEY, order_number INTEGER NOT NULL, line INTEGER NOT NULL,
        lines INTEGER NOT NULL, amount INTEGER NOT NULL, repeats INTEGER NOT NULL DEFAULT 0
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS crashes (key TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS dead (order_number INTEGER PRIMARY KEY)`);
    this.#insert = this.#database.prepare(`
      INSERT INTO lines (key, order_number, line, lines, amount) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET repeats = repeats + 1 RETURNING repeats`);
  }

  /** Stores a batch as a whole; `isLast` leaves a note that this process ends before it can report it. */
  async save(outputs: readonly Output<OrderLine>[], isLast = false): Promise<void> {
    const repeats = await this.#commit(() => {
      let repeats = 0;
      for (const { key, value: { order, line, lines, amount } } of outputs) {
        const [row] = this.#insert.all(key, order, line, lines, amount) as { repeats: number }[];
        if (row!.repeats > 0) repeats++;
      }
      if (isLast) {
        const note = this.#database.prepare("INSERT INTO crashes VALUES (?)");
        for (const { key } of outputs) note.run(key);
      }
      return repeats;
    });
    this.repeats += repeats;
    this.stored += outputs.length - repeats;
  }

  /** Notes that an order is a dead letter, whatever of it is stored. */
  async noteDead(order: number): Promise<void> {
    await this.#commit(() => {
      this.#database.prepare("INSERT INTO dead VALUES (?) ON CONFLICT DO NOTHING").run(order);
    });
  }

  /** All of it or nothing. While another process writes, the event loop goes on. */
  async #commit<R>(write: () => R): Promise<R> {
    for (let attempt = 0;; attempt++) {
      try {
        this.#database.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (!isBusy(error) || attempt > 500) throw error;
        await wait(1 + Math.random() * 5);
        continue;
      }
      try {
        const result = write();
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        try {
          this.#database.exec("ROLLBACK");
        } catch {
          // SQLite has rolled back by itself, as where the disk is full: the first error says so.
        }
        throw error;
      }
    }
  }

  summary(): StoreSummary {
    const rows = this.#database.prepare(
      "SELECT order_number AS 'order', line, lines, amount, repeats FROM lines",
    ).all() as unknown as (OrderLine & { repeats: number })[];
    const dead = new Set(
      (this.#database.prepare("SELECT order_number AS 'order' FROM dead").all() as {
        order: number;
      }[])
        .map(({ order }) => order),
    );
    const seen = new Map<number, number>();
    let repeats = 0;
    let wrong = 0;
    let doubled = 0;
    for (const row of rows) {
      repeats += row.repeats;
      const want = linesOf(row.order)[row.line];
      if (want?.amount !== row.amount || want.lines !== row.lines) wrong++;
      // A line that is there under two keys is wrong, too.
      const mask = seen.get(row.order) ?? 0;
      if ((mask & (1 << row.line)) !== 0) {
        wrong++;
        doubled++;
      }
      seen.set(row.order, mask | (1 << row.line));
    }
    let orders = 0;
    let lastOrder = -1;
    for (const [order, mask] of seen) {
      if (!dead.has(order) && mask === (1 << linesOf(order).length) - 1) orders++;
      lastOrder = Math.max(lastOrder, order);
    }
    return {
      orders,
      lines: rows.length,
      repeats,
      wrong,
      doubled,
      incomplete: seen.size - orders,
      lastOrder,
    };
  }

  /** Lines that were committed by a process which ended before the acknowledgement: all, and those repeated since. */
  crashes(): { readonly lines: number; readonly repeated: number } {
    const [row] = this.#database.prepare(
      "SELECT count(*) AS lines, count(*) FILTER (WHERE repeats > 0) AS repeated " +
        "FROM (SELECT DISTINCT key FROM crashes) JOIN lines USING (key) " +
        "WHERE order_number NOT IN (SELECT order_number FROM dead)",
    ).all() as { lines: number; repeated: number }[];
    return { lines: row!.lines, repeated: row!.repeated };
  }

  close(): void {
    this.#database.close();
  }
}
