import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
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
  WHERE messages.sent_at >= ? AND messages.sent_at < ?
  ORDER BY messages.sent_at, messages.id`;

function query({ fields, projection }: Pick<CursorOptions, "fields" | "projection">): string {
  const selected = fields.map((field) => `${expressions[field]} AS ${field}`);
  const everything = ["messages.*", "conversations.*", "contacts.*"];
  return `SELECT ${[...selected, ...(projection ? [] : everything)].join(", ")}${tables}`;
}

class SqliteSource implements MessageSource {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #cursors = new Set<Iterator<unknown>>();
  #isClosed = false;

  constructor(name: string, database: DatabaseSync) {
    this.name = name;
    this.#database = database;
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    const plan = this.#database.prepare(
      `EXPLAIN QUERY PLAN ${query({ fields: ["messageId"], projection: true })}`,
    ).all(0, 1);
    const isSorted = plan.some(({ detail }) => /TEMP B-TREE/.test(String(detail)));
    return Promise.resolve(
      isSorted
        ? [
          "no index on the time of messages, so all are sorted for each part: " +
          "CREATE INDEX messages_sent_at ON messages (sent_at);",
        ]
        : [],
    );
  }

  *read(options: CursorOptions): Generator<readonly MessageRow[], void> {
    if (this.#isClosed) throw new Error(`${this.name} is closed`);
    const { part, batchSize, fields, onBadDocument } = options;
    const statement = this.#database.prepare(query(options));
    // Arrays are a fraction of the work and memory that objects with 20 keys are.
    statement.setReturnArrays(true);
    const cursor = statement.iterate(part.fromMs, part.toMs);
    this.#cursors.add(cursor);
    try {
      let batch: MessageRow[] = [];
      for (let next = cursor.next(); !next.done; next = cursor.next()) {
        try {
          batch.push(toMessageRow(next.value as unknown as readonly unknown[], fields));
        } catch (error) {
          if (!(error instanceof BadDocumentError)) throw error;
          onBadDocument(error);
        }
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
        // A database closed under a cursor looks like its end to one runtime: that is no end of ours.
        if (this.#isClosed) throw new Error(`${this.name} was closed`);
      }
      if (batch.length > 0) yield batch;
    } finally {
      if (this.#cursors.delete(cursor)) cursor.return?.();
    }
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const cursor of this.#cursors) cursor.return?.();
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
    database.prepare(query({ fields: ["messageId"], projection: true })).get(0, 1);
    return new SqliteSource(name, database);
  } catch (cause) {
    database?.close();
    throw new Error(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}
