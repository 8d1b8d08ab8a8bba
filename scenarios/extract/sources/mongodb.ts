import { BSON, type Collection, type Document, type FindCursor, type MongoClient } from "mongodb";
import type { CursorOptions, Field, RowBatch, RowSource, Selection, Span } from "../source.ts";
import {
  collectionName,
  compareIds,
  type FieldOrders,
  fieldOrders,
  indexKeys,
  isTooLarge,
  messageIndexKeys,
  mongodbClient,
  MongodbCursors,
  readOptions,
} from "./mongodb_client.ts";
import { hideSecrets } from "../../secrets/hide_secrets.ts";
import { readAddress } from "../../secrets/read_address.ts";
import { BatchBuilder } from "../batch_builder.ts";
import { chooseFields } from "../choose_fields.ts";
import { conversationTitles } from "../conversations.ts";
import { isTimeMissing, type TimedRow, TimeOrder, timeProblem } from "./time_order.ts";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import type { Value } from "../value.ts";
import { documentValue } from "./document_value.ts";

/** The types of ids, as MongoDB orders them; of numbers and texts there are several that are compared with each other. */
const order: readonly (readonly string[])[] = [
  ["null"],
  ["number"],
  ["string"],
  ["object"],
  ["binData"],
  ["objectId"],
  ["bool"],
  ["date"],
  ["timestamp"],
];

function placeOf(id: unknown): number {
  if (id === null) return 0;
  if (typeof id === "number" || typeof id === "bigint") return 1;
  if (typeof id === "string") return 2;
  if (typeof id === "boolean") return 6;
  if (id instanceof Date) return 7;
  switch ((id as { _bsontype?: string })._bsontype) {
    case "Int32":
    case "Long":
    case "Double":
    case "Decimal128":
      return 1;
    case "BSONSymbol":
      return 2;
    case "Binary":
      return 4;
    case "ObjectId":
      return 5;
    case "Timestamp":
      return 8;
    case undefined:
      return 3;
  }
  throw new RangeError(`it cannot be read on from the _id ${String(id)}`);
}

/** Finds the documents after one, by its id as `idText` has it: comparing finds those of its own type alone. */
function isAfterId(text: string): Document {
  const { id } = BSON.EJSON.parse(text, { relaxed: false });
  const later = order.slice(placeOf(id) + 1).flat();
  const own = { _id: { $gt: id } };
  return later.length === 0
    ? own
    : { $or: [own, ...later.map((type) => ({ _id: { $type: type } }))] };
}

/** An id as text that keeps its type. */
function idText(id: unknown): string {
  return BSON.EJSON.stringify({ id }, { relaxed: false });
}

/** The value at a path of a document; of what an array holds, where the path leads through one, an array. */
function fieldAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const [index, name] of path.entries()) {
    if (Array.isArray(value) && !/^\d+$/.test(name)) {
      return value.map((one) => fieldAt(one, path.slice(index)));
    }
    if (typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The whole of a document, where no fields of it are asked for. */
const wholeTitle = "document";

function idOf({ _id }: Document): string {
  const id = documentValue(_id);
  return nameRow([{ title: "_id" }], [typeof id === "object" && id !== null ? "…" : id]);
}

/** A path up to the place of an item in an array: no projection leads there. */
function withoutPlaces(path: readonly string[]): readonly string[] {
  const place = path.findIndex((name) => /^\d+$/.test(name));
  return place > 0 ? path.slice(0, place) : path;
}

/** Documents of a collection. */
class MongodbCollection implements RowSource {
  readonly name: string;
  readonly titles: readonly string[];
  readonly isWhole: boolean;
  readonly key: readonly string[];
  readonly span: Span | undefined;
  readonly notCut?: string;
  readonly expectedRows: number | undefined;
  readonly #client: MongoClient;
  readonly #collection: Collection<Document>;
  readonly #selection: Selection;
  readonly #filter: Document;
  readonly #fields: readonly { readonly title: string; readonly path: readonly string[] }[];
  readonly #cursors = new MongodbCursors();
  readonly #isIndexed: boolean;

  private constructor(
    name: string,
    client: MongoClient,
    collection: Collection<Document>,
    selection: Selection,
    { filter, fields, expectedRows, isIndexed }: {
      filter: Document;
      fields: readonly Field[];
      expectedRows: number | undefined;
      isIndexed: boolean;
    },
  ) {
    this.name = name;
    this.#client = client;
    this.#collection = collection;
    this.#selection = selection;
    this.#filter = filter;
    this.#fields = fields.map(({ path, title }) => ({ title, path: path.split(".") }));
    this.titles = fields.length > 0 ? fields.map(({ title }) => title) : [wholeTitle];
    this.isWhole = fields.length === 0;
    this.expectedRows = expectedRows;
    this.#isIndexed = isIndexed;
    const { time, orderBy } = selection;
    this.key = time === undefined && orderBy === undefined ? ["_id"] : [];
    if (time !== undefined && orderBy === undefined) {
      this.span = { from: time.period.fromMs, to: time.period.toMs };
    } else {
      this.notCut = orderBy === undefined
        ? "give a --time-field with --from and --to"
        : "parts follow each other by time, not as --order-by says";
    }
  }

  /** Finds the collection, and what is in it. */
  static async open(
    name: string,
    client: MongoClient,
    selection: Selection,
    { name: collectionName, filter: filterText }: Selection["from"] & { kind: "collection" },
  ): Promise<MongodbCollection> {
    const filter = filterText === undefined ? {} : BSON.EJSON.parse(filterText) as Document;
    const database = client.db();
    const names = (await database.listCollections({}, { nameOnly: true }).toArray())
      .map((one) => one.name).sort();
    if (!names.includes(collectionName)) {
      const known = names.join(", ") || "none at all";
      throw new RangeError(
        `there is no collection ${JSON.stringify(collectionName)}, but ${known}`,
      );
    }
    const collection = database.collection<Document>(collectionName);
    const { time } = selection;
    const isWhole = time === undefined && Object.keys(filter).length === 0;
    return new MongodbCollection(name, client, collection, selection, {
      filter,
      fields: selection.fields ?? [],
      expectedRows: isWhole ? await collection.estimatedDocumentCount() : undefined,
      isIndexed: time === undefined ||
        (await collection.indexes().catch(() => []))
          .some(({ key }) => Object.keys(key)[0] === time.field),
    });
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    const { time } = this.#selection;
    if (this.#isIndexed || time === undefined) return Promise.resolve([]);
    const { collectionName } = this.#collection;
    return Promise.resolve([
      `no index on ${time.field}, so all documents are read and sorted for each part: ` +
      `db.getCollection(${JSON.stringify(collectionName)}).createIndex(` +
      `${JSON.stringify({ [time.field]: 1 })})`,
    ]);
  }

  async reportUnplaced(
    { onRow, onBadRow, signal }: Parameters<RowSource["reportUnplaced"]>[0],
  ): Promise<void> {
    const { time } = this.#selection;
    if (time === undefined) return;
    const cursor = this.#collection.find({ $and: [this.#filter, isTimeMissing(time.field)] }, {
      ...readOptions,
      projection: { _id: 1, [time.field]: 1 },
    });
    for await (const document of this.#cursors.read(cursor)) {
      signal?.throwIfAborted();
      onRow();
      const reason = timeProblem(time.field, fieldAt(document, time.field.split(".")));
      onBadRow(new BadRowError(idOf(document), reason));
    }
  }

  async *read(options: CursorOptions): AsyncGenerator<RowBatch, void> {
    const { onRow, onBadRow } = options;
    const { time } = this.#selection;
    const batches = new BatchBuilder(options.batchSize);
    const timePath = time?.field.split(".");
    let count = 0;
    for await (const one of this.#cursors.read(this.#find(options))) {
      onRow();
      const bytes = one as Uint8Array;
      const document = BSON.deserialize(bytes, readOptions);
      try {
        const row = this.#toRow(document, fieldOrders(bytes, document));
        const at = timePath === undefined ? ++count : fieldAt(document, timePath);
        const key = this.#selection.isResumable ? [idText(document._id)] : undefined;
        yield* batches.add(row, at instanceof Date ? at.getTime() : Number(at), key);
      } catch (error) {
        if (!(error instanceof BadRowError)) throw error;
        onBadRow(error);
      }
    }
    yield* batches.rest();
  }

  #toRow(document: Document, ordersOf: FieldOrders): Value[] {
    const { maxValueBytes } = this.#selection;
    const read = (title: string, value: unknown): Value => {
      try {
        const exported = documentValue(value, ordersOf);
        if (!isTooLarge(exported, maxValueBytes)) return exported;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new BadRowError(idOf(document), `${title} ${error.message}`);
      }
      throw new BadRowError(idOf(document), `${title} is larger than --max-value`);
    };
    if (this.#fields.length === 0) return [read(wholeTitle, document)];
    return this.#fields.map(({ title, path }) => read(title, fieldAt(document, path)));
  }

  #find({ part = this.span, batchSize, projection }: CursorOptions): FindCursor<Document> {
    const { time, orderBy, after } = this.#selection;
    const isAfter = after === undefined ? [] : [isAfterId(after[0]!)];
    const inPart = time === undefined || part === undefined ? [] : [{
      [time.field]: { $gte: new Date(part.from), $lt: new Date(part.to), $not: { $type: "array" } },
    }];
    const sort = [
      ...(orderBy?.map(({ path, isDescending }) => [path, isDescending ? -1 : 1] as const) ??
        (time === undefined ? [] : [[time.field, 1] as const])),
      // Twice in an order, the second would be the one that counts.
      ...(orderBy?.some(({ path }) => path === "_id") ? [] : [["_id", 1] as const]),
    ];
    const needed = [
      ...this.#fields.map(({ path }) => withoutPlaces(path).join(".")),
      ...(time === undefined ? [] : [time.field]),
    ];
    // Of two paths of which one leads into the other, the shorter brings both.
    const paths = needed.filter((path) => !needed.some((other) => path.startsWith(`${other}.`)));
    const isNarrow = projection && this.#fields.length > 0;
    return this.#collection.find({ $and: [this.#filter, ...isAfter, ...inPart] }, {
      // As bytes, which have the order of fields.
      raw: true,
      batchSize,
      // In pairs: an object would put a field called 1 first.
      sort: sort as [string, 1 | -1][],
      allowDiskUse: true,
      ...(isNarrow
        ? { projection: Object.fromEntries(["_id", ...paths].map((path) => [path, 1])) }
        : {}),
    });
  }

  async close(): Promise<void> {
    await this.#cursors.close();
    await this.#client.close();
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** What of a conversation's messages is wanted, and by whom. */
interface ConversationPart extends Pick<CursorOptions, "isFirst" | "onRow" | "onBadRow"> {
  readonly part: Span;
  /** All that is exported. */
  readonly whole: Span;
  readonly titles: readonly (typeof conversationTitles)[number][];
  readonly maxValueBytes: number;
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function timeOf(value: unknown): number | undefined {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined;
}

const isIn = (time: number, { from, to }: Span) => time >= from && time < to;

function messageName(id: unknown, conversation: unknown): string {
  return `message ${documentText(id)} of conversation ${documentText(conversation)}`;
}

function documentText(value: unknown): string {
  const shown = documentValue(value);
  return typeof shown === "object" && shown !== null ? "…" : String(shown);
}

/** Why a conversation cannot be found by its time, whichever part reads it; `undefined`: it can. */
function placeProblem({ startedAt, endedAt }: Fields): string | undefined {
  if (timeOf(startedAt) === undefined) {
    return `its conversation's ${timeProblem("startedAt", startedAt)}`;
  }
  if (timeOf(endedAt) === undefined) return `its conversation's ${timeProblem("endedAt", endedAt)}`;
  return undefined;
}

/**
 * Reports the messages of a conversation that is not read by its time: those of the period, and those without a time.
 */
function reportUnplacedMessages(
  document: unknown,
  { whole, onRow, onBadRow }: Pick<ConversationPart, "whole" | "onRow" | "onBadRow">,
): void {
  const fields = asFields(document);
  const problem = placeProblem(fields) ?? "sentAt is not between startedAt and endedAt";
  const { _id, messages } = fields;
  if (!Array.isArray(messages)) {
    onRow();
    return onBadRow(new BadRowError(`conversation ${documentText(_id)}`, "messages is no array"));
  }
  for (const message of messages) {
    const { id, sentAt } = asFields(message);
    const sentAtMs = timeOf(sentAt);
    if (sentAtMs !== undefined && !isIn(sentAtMs, whole)) continue;
    onRow();
    onBadRow(new BadRowError(messageName(id, _id), problem));
  }
}

/**
 * The rows of a conversation that were sent in a part, by time, then id. A message without a place is reported once,
 * however many parts read the conversation: by that of the conversation's beginning.
 */
function conversationRows(document: unknown, options: ConversationPart): TimedRow[] {
  const { part, whole, isFirst, titles, maxValueBytes, onRow } = options;
  const { _id, startedAt, endedAt, contact, messages } = asFields(document);
  const [startedAtMs, endedAtMs] = [timeOf(startedAt)!, timeOf(endedAt)!];
  const beganHere = startedAtMs >= part.from || isFirst;
  const rows: TimedRow[] = [];
  const report = (name: string, reason: string) => {
    if (!beganHere) return;
    onRow();
    options.onBadRow(new BadRowError(name, reason));
  };
  if (!Array.isArray(messages)) {
    report(`conversation ${documentText(_id)}`, "messages is no array");
    return rows;
  }
  const { id: contactId, name: contactName, channel } = asFields(contact);
  for (const message of messages) {
    const { id, sentAt, sender, text } = asFields(message);
    const sentAtMs = timeOf(sentAt);
    if (sentAtMs === undefined) {
      report(messageName(id, _id), timeProblem("sentAt", sentAt));
    } else if (sentAtMs < startedAtMs || sentAtMs > endedAtMs) {
      if (isIn(sentAtMs, whole)) {
        report(messageName(id, _id), "sentAt is not between startedAt and endedAt");
      }
    } else if (isIn(sentAtMs, part)) {
      onRow();
      const fields: Readonly<Record<(typeof titles)[number], unknown>> = {
        contact_id: contactId,
        contact_name: contactName,
        channel,
        conversation_id: _id,
        sent_at: sentAt,
        sender,
        text,
        message_id: id,
      };
      try {
        const row = titles.map((title) => toValue(title, fields[title], maxValueBytes));
        rows.push({ sentAtMs, id, row });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        options.onBadRow(new BadRowError(messageName(id, _id), error.message));
      }
    }
  }
  return rows.sort((one, other) => one.sentAtMs - other.sentAtMs || compareIds(one.id, other.id));
}

function toValue(title: string, field: unknown, maxValueBytes: number): Value {
  const value = documentValue(field);
  if (isTooLarge(value, maxValueBytes)) throw new RangeError(`${title} is larger than --max-value`);
  // As where columns are: what is not there is NULL.
  return value ?? null;
}

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
class MongodbConversations implements RowSource {
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

async function openSelected(
  name: string,
  client: MongoClient,
  selection: Selection,
): Promise<RowSource> {
  switch (selection.from.kind) {
    case "conversations":
      return await MongodbConversations.open(name, client, selection);
    case "collection":
      return await MongodbCollection.open(name, client, selection, selection.from);
    default:
      throw new RangeError("MongoDB has collections, not tables: use --collection");
  }
}

/**
 * Opens a collection of a MongoDB database.
 *
 * @throws {Error} If the server cannot be reached, or there is no such collection.
 * @throws The signal's reason, if it aborts.
 */
export async function openMongodb(
  address: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  const { name } = readAddress(address);
  let client: MongoClient | undefined;
  const abort = () => void client?.close().catch(() => {});
  signal?.addEventListener("abort", abort);
  try {
    client = mongodbClient(address, selection.timeoutMs);
    return await openSelected(name, client, selection);
  } catch (cause) {
    await client?.close();
    if (signal?.aborted) throw signal.reason;
    const reason = hideSecrets((cause as Error).message, [address]);
    throw new Error(`Cannot open ${name}: ${reason}`, { cause });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
