import { type Collection, type Document, type FindCursor, MongoClient } from "mongodb";
import type { MessageField, MessageRow } from "../message_row.ts";
import type { CursorOptions, MessageSource } from "../source.ts";
import { conversationRows } from "./conversation_rows.ts";
import { collectionName, indexKeys, withoutSecrets } from "./mongodb_names.ts";
import { TimeOrder } from "./time_order.ts";

const paths: Readonly<Record<MessageField, string>> = {
  messageId: "messages.id",
  sentAtMs: "messages.sentAt",
  contactId: "contact.id",
  contactName: "contact.name",
  channel: "contact.channel",
  conversationId: "_id",
  sender: "messages.sender",
  text: "messages.text",
};

/** The driver would look for a server for half a minute; the address may say otherwise. */
const defaultTimeoutMs = 5_000;

class MongodbSource implements MessageSource {
  readonly name: string;
  readonly #client: MongoClient;
  readonly #collection: Collection<Document>;
  /** The name of the index that the query walks along, if it exists. */
  readonly #index: string | undefined;
  readonly #cursors = new Set<FindCursor<Document>>();

  constructor(
    name: string,
    client: MongoClient,
    collection: Collection<Document>,
    index: string | undefined,
  ) {
    this.name = name;
    this.#client = client;
    this.#collection = collection;
    this.#index = index;
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    return Promise.resolve(
      this.#index === undefined
        ? [
          "no index on the time of conversations, so all are read and sorted for each part: " +
          `db.${collectionName}.createIndex(${JSON.stringify(indexKeys)})`,
        ]
        : [],
    );
  }

  async *read(options: CursorOptions): AsyncGenerator<readonly MessageRow[], void> {
    const { batchSize } = options;
    const cursor = this.#find(options);
    this.#cursors.add(cursor);
    try {
      const order = new TimeOrder();
      let batch: MessageRow[] = [];
      for await (const document of cursor) {
        // Before the rows of the document itself: they are not earlier than its beginning.
        for (const row of order.takeBefore(document.startedAt.getTime())) {
          batch.push(row);
          if (batch.length < batchSize) continue;
          yield batch;
          batch = [];
        }
        order.add(conversationRows(document, options));
      }
      for (const row of order.takeBefore(Infinity)) {
        batch.push(row);
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    } finally {
      await this.#close(cursor);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#cursors, (cursor) => this.#close(cursor)));
    await this.#client.close();
  }

  #find({ part, batchSize, fields, projection }: CursorOptions): FindCursor<Document> {
    const { fromMs, toMs } = part;
    const filter = {
      startedAt: { $lt: new Date(toMs) },
      endedAt: { $gte: new Date(fromMs) },
    };
    const needed = [...fields.map((field) => paths[field]), "startedAt", "endedAt"];
    return this.#collection.find(filter, {
      batchSize,
      sort: { startedAt: 1, _id: 1 },
      allowDiskUse: true,
      ...(this.#index === undefined ? {} : { hint: this.#index }),
      ...(projection
        ? { projection: Object.fromEntries(needed.map((path) => [path, 1] as const)) }
        : {}),
    });
  }

  async #close(cursor: FindCursor<Document>): Promise<void> {
    if (!this.#cursors.delete(cursor)) return;
    // It tells the server, which may be why we close; there is nothing left to save then.
    await cursor.close().catch(() => {});
  }
}

/** The name of an index that begins with the keys by which the query sorts. */
async function findIndex(collection: Collection<Document>): Promise<string | undefined> {
  const indexes = await collection.indexes();
  return indexes.find(({ key }) => {
    const [first, second] = Object.entries(key);
    return first?.[0] === "startedAt" && first[1] === 1 &&
      second?.[0] === "_id" && second[1] === 1;
  })?.name;
}

/**
 * Opens the collection `conversations` of a MongoDB database.
 *
 * @throws {Error} If the server cannot be reached, or there is no such collection.
 * @throws The signal's reason, if it aborts.
 */
export async function openMongodb(address: string, signal?: AbortSignal): Promise<MessageSource> {
  const name = withoutSecrets(address);
  let client: MongoClient | undefined;
  const abort = () => void client?.close().catch(() => {});
  signal?.addEventListener("abort", abort);
  try {
    client = new MongoClient(
      address,
      /[?&]serverSelectionTimeoutMS=/i.test(address)
        ? {}
        : { serverSelectionTimeoutMS: defaultTimeoutMs },
    );
    const collection = client.db().collection<Document>(collectionName);
    const index = await findIndex(collection);
    return new MongodbSource(name, client, collection, index);
  } catch (cause) {
    await client?.close();
    if (signal?.aborted) throw signal.reason;
    throw new Error(`Cannot open ${name}: ${withoutSecrets((cause as Error).message)}`, { cause });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
