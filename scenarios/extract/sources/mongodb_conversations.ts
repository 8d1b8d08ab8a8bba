import type { Collection, Document, FindCursor, MongoClient } from "mongodb";
import { BatchBuilder } from "../batch_builder.ts";
import { chooseFields } from "../choose_fields.ts";
import { conversationTitles } from "../conversations.ts";
import type { CursorOptions, RowBatch, RowSource, Selection, Span } from "../source.ts";
import {
  type ConversationPart,
  conversationRows,
  reportUnplacedMessages,
} from "./conversation_rows.ts";
import { isTimeMissing, TimeOrder } from "./time_order.ts";
import {
  collectionName,
  indexKeys,
  messageIndexKeys,
  MongodbCursors,
  readOptions,
} from "./mongodb_client.ts";

type Title = (typeof conversationTitles)[number];

const paths: Readonly<Record<Title, string>> = {
  contact_id: "contact.id",
  contact_name: "contact.name",
  channel: "contact.channel",
  conversation_id: "_id",
  sent_at: "messages.sentAt",
  sender: "messages.sender",
  text: "messages.text",
  message_id: "messages.id",
};

const always = ["startedAt", "endedAt", "messages.sentAt", "messages.id"];

const toProjection = (names: readonly string[]) =>
  Object.fromEntries(names.map((path) => [path, 1] as const));

/** The messages of documents that each hold a conversation. */
export class MongodbConversations implements RowSource {
  readonly key: readonly string[] = [];
  readonly name: string;
  readonly titles: readonly string[];
  readonly span: Span;
  readonly #chosen: readonly Title[];
  readonly #client: MongoClient;
  readonly #collection: Collection<Document>;
  readonly #selection: Selection;
  /** The name of the index that the query walks along, if it exists. */
  readonly #index: string | undefined;
  readonly #hasMessageIndex: boolean;
  readonly #cursors = new MongodbCursors();

  private constructor(
    name: string,
    client: MongoClient,
    collection: Collection<Document>,
    selection: Selection,
    indexes: readonly { readonly name?: string | undefined; readonly key: Document }[],
  ) {
    this.name = name;
    this.#client = client;
    this.#collection = collection;
    this.#selection = selection;
    const { fromMs, toMs } = selection.time!.period;
    this.span = { from: fromMs, to: toMs };
    const chosen = chooseFields(selection.fields, conversationTitles);
    this.titles = chosen.map(({ title }) => title);
    this.#chosen = chosen.map(({ index }) => conversationTitles[index]!);
    this.#index = indexes.find(({ key }) => {
      const [first, second] = Object.entries(key);
      return first?.[0] === "startedAt" && first[1] === 1 &&
        second?.[0] === "_id" && second[1] === 1;
    })?.name;
    this.#hasMessageIndex = indexes.some(({ key }) => Object.keys(key)[0] === "messages.sentAt");
  }

  /** Finds the collection. */
  static async open(
    name: string,
    client: MongoClient,
    selection: Selection,
  ): Promise<MongodbConversations> {
    const collection = client.db().collection<Document>(collectionName);
    const indexes = await collection.indexes() as { name?: string; key: Document }[];
    return new MongodbConversations(name, client, collection, selection, indexes);
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    const createIndex = (keys: object) =>
      `db.${collectionName}.createIndex(${JSON.stringify(keys)})`;
    return Promise.resolve([
      ...(this.#index === undefined
        ? [
          "no index on the time of conversations, so all are read and sorted for each part: " +
          createIndex(indexKeys),
        ]
        : []),
      ...(this.#hasMessageIndex ? [] : [
        "no index on the time of messages, so all are read for those outside their conversations: " +
        createIndex(messageIndexKeys),
      ]),
    ]);
  }

  async reportUnplaced(
    { onRow, onBadRow, signal }: Parameters<RowSource["reportUnplaced"]>[0],
  ): Promise<void> {
    const [from, to] = [new Date(this.span.from), new Date(this.span.to)];
    const filters = [
      { $or: [isTimeMissing("startedAt"), isTimeMissing("endedAt")] },
      {
        // Of an array one item may be the one and another the other: those are sorted out here.
        "messages.sentAt": { $gte: from, $lt: to },
        $or: [
          { startedAt: { $gte: to, $type: "date" } },
          { startedAt: { $lt: from, $type: "date" }, endedAt: { $lt: from, $type: "date" } },
        ],
      },
    ];
    for (const filter of filters) {
      const cursor = this.#collection.find(filter, {
        ...readOptions,
        projection: toProjection(always),
      });
      for await (const document of this.#cursors.read(cursor)) {
        signal?.throwIfAborted();
        reportUnplacedMessages(document, { whole: this.span, onRow, onBadRow });
      }
    }
  }

  async *read(options: CursorOptions): AsyncGenerator<RowBatch, void> {
    const part: ConversationPart = {
      ...options,
      part: options.part ?? this.span,
      whole: this.span,
      titles: this.#chosen,
      maxValueBytes: this.#selection.maxValueBytes,
    };
    const order = new TimeOrder();
    const batches = new BatchBuilder(options.batchSize);
    for await (const document of this.#cursors.read(this.#find(options))) {
      // Before the rows of the document itself: they are not earlier than its beginning.
      for (const { row, sentAtMs } of order.takeBefore(document.startedAt.getTime())) {
        yield* batches.add(row, sentAtMs);
      }
      order.add(conversationRows(document, part));
    }
    for (const { row, sentAtMs } of order.takeBefore(Infinity)) yield* batches.add(row, sentAtMs);
    yield* batches.rest();
  }

  #find({ part = this.span, batchSize, projection }: CursorOptions): FindCursor<Document> {
    const [from, to] = [new Date(part.from), new Date(part.to)];
    const needed = [...always, ...this.#chosen.map((title) => paths[title])];
    return this.#collection.find({
      startedAt: { $lt: to, $type: "date" },
      endedAt: { $type: "date" },
      // One that ends before it begins is read where it begins.
      $or: [{ endedAt: { $gte: from } }, { startedAt: { $gte: from } }],
    }, {
      ...readOptions,
      batchSize,
      sort: { startedAt: 1, _id: 1 },
      allowDiskUse: true,
      ...(this.#index === undefined ? {} : { hint: this.#index }),
      ...(projection ? { projection: toProjection(needed) } : {}),
    });
  }

  async close(): Promise<void> {
    await this.#cursors.close();
    await this.#client.close();
  }
}
