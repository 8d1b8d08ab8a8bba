import { stat } from "node:fs/promises";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { BadDocumentError } from "../bad_document_error.ts";
import type { MessageField, MessageRow } from "../message_row.ts";
import type { CursorOptions, MessageSource } from "../source.ts";
import { toMessageRow } from "../to_message_row.ts";

const expressions: Readonly<Record<MessageField, string>> = {
  messageId: "messages.id",
  sentAtMs: "messages.sent_at",
  contactId: "contacts.id",
  contactName: "contacts.name",
  channel: "contacts.channel",
  conversationId: "conversations.id",
  sender: "messages.sender",
  text: "messages.text",
};

// Cross joins keep the order of the tables: the planner must not begin with the contacts.
const tables = `
  FROM messages
  CROSS JOIN conversations ON conversations.id = messages.conversation_id
  CROSS JOIN contacts ON contacts.id = conversations.contact_id
  WHERE messages.sent_at >= ? AND messages.sent_at < ?`;
const order = "ORDER BY messages.sent_at, messages.id";
const after = `AND (messages.sent_at, messages.id) > (?, ?) ${order} LIMIT ?`;

function select(
  { fields, projection }: Pick<CursorOptions, "fields" | "projection">,
  rest: string,
): string {
  const selected = fields.map((field) => `${expressions[field]} AS ${field}`);
  const everything = ["messages.*", "conversations.*", "contacts.*"];
  return `SELECT ${[...selected, ...(projection ? [] : everything)].join(", ")}${tables} ${rest}`;
}

type Values = readonly unknown[];

/** Rows got by one call: holding more of them costs memory and saves no time. */
const pageSize = 100;

/** Deno leaves something of each step behind, and takes longer for it; Bun is slower by pages. */
const prefersPages = "Deno" in globalThis;

class SqliteSource implements MessageSource {
  readonly name: string;
  readonly sharedAddress: string | undefined;
  readonly #database: DatabaseSync;
  /** Whether there is no index that gives the messages in order: for the whole transaction. */
  readonly #isSorted: boolean;
  readonly #cursors = new Set<Generator<unknown, void>>();
  #isClosed = false;

  constructor(name: string, database: DatabaseSync) {
    this.name = name;
    this.#database = database;
    this.#isSorted = this.#mustSort();
    this.sharedAddress = this.#isShareable() ? name : undefined;
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    return Promise.resolve(
      this.#isSorted
        ? [
          "no index on the time of messages, so all are sorted for each part: " +
          "CREATE INDEX messages_sent_at ON messages (sent_at);",
        ]
        : [],
    );
  }

  *read(options: CursorOptions): Generator<readonly MessageRow[], void> {
    if (this.#isClosed) throw new Error(`${this.name} is closed`);
    const { fields, onBadDocument } = options;
    const size = Math.min(options.batchSize, pageSize);
    const isPaged = prefersPages && !this.#isSorted;
    const cursor = isPaged ? this.#pages(options) : this.#steps(options);
    this.#cursors.add(cursor);
    try {
      let rows: MessageRow[] = [];
      for (const page of cursor) {
        for (const values of page) {
          try {
            rows.push(toMessageRow(values, fields));
          } catch (error) {
            if (!(error instanceof BadDocumentError)) throw error;
            onBadDocument(error);
          }
          if (rows.length < size) continue;
          yield rows;
          rows = [];
          // A database closed under a cursor looks like its end to one runtime: that is no end of ours.
          if (this.#isClosed) throw new Error(`${this.name} was closed`);
        }
      }
      if (rows.length > 0) yield rows;
    } finally {
      this.#cursors.delete(cursor);
    }
  }

  /** One call for many rows, each from where the last one ended; with `fields` that tell where. */
  *#pages(options: CursorOptions): Generator<Values[], void> {
    const { part: { fromMs, toMs }, fields } = options;
    const statement = this.#prepare(options, after);
    const [time, id] = [fields.indexOf("sentAtMs"), fields.indexOf("messageId")];
    for (let place = [fromMs, toMs, fromMs - 1, 0];;) {
      const page = statement.all(...place, pageSize) as unknown as Values[];
      if (page.length > 0) yield page;
      if (page.length < pageSize) return;
      const last = page.at(-1) as number[];
      place = [last[time]!, toMs, last[time]!, last[id]!];
    }
  }

  /** Without an index each page would be a search through everything. */
  *#steps(options: CursorOptions): Generator<Values[], void> {
    const cursor = this.#prepare(options, order).iterate(options.part.fromMs, options.part.toMs);
    try {
      let page: Values[] = [];
      for (let next = cursor.next(); !next.done; next = cursor.next()) {
        page.push(next.value as unknown as Values);
        if (page.length < pageSize) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    } finally {
      cursor.return?.();
    }
  }

  #prepare(options: CursorOptions, rest: string): StatementSync {
    const statement = this.#database.prepare(select(options, rest));
    // Arrays are a fraction of the work and memory that objects with 20 keys are.
    statement.setReturnArrays(true);
    return statement;
  }

  #mustSort(): boolean {
    const query = select({ fields: ["messageId"], projection: true }, order);
    const plan = this.#database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(0, 1);
    return plan.some(({ detail }) => /TEMP B-TREE/.test(String(detail)));
  }

  /**
   * Whether another connection sees the same: nobody can write while this one reads, unless there is a write-ahead
   * log. Without an index every one of many parts would be a search through everything.
   */
  #isShareable(): boolean {
    const mode = this.#database.prepare("PRAGMA journal_mode").get()?.journal_mode;
    return mode !== "wal" && !this.#isSorted;
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const cursor of this.#cursors) cursor.return();
    this.#cursors.clear();
    this.#database.close();
    return Promise.resolve();
  }
}

/**
 * Opens an SQLite file with the tables `contacts`, `conversations` and `messages`. All of its cursors
 * see the file as it is at the first read, however long the reading takes.
 *
 * @throws {Error} If there is no such file, or it holds something else.
 */
export async function openSqlite(path: string): Promise<MessageSource> {
  const name = `sqlite:${path}`;
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new Error(`Cannot open ${name}: no such file`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec("BEGIN");
    database.prepare(select({ fields: ["messageId"], projection: true }, order)).get(0, 1);
    return new SqliteSource(name, database);
  } catch (cause) {
    database?.close();
    throw new Error(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}
