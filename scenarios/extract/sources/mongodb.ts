import { BSON, type Document, type FindCursor, type MongoClient } from "mongodb";
import type { CursorOptions, RowSource, Selection, Span } from "../source.ts";
import {
  collectionName,
  compareIds,
  type FieldOrders,
  fieldOrders,
  indexKeys,
  isTooLarge,
  messageIndexKeys,
  mongodbClient,
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
const order = [
  ...["null", "number", "string", "object", "binData", "objectId", "bool", "date", "timestamp"],
];

/** Which of them a value is of, by its `typeof` or its `_bsontype`; an object is of none. */
const orderOf: ReadonlyMap<string | undefined, string> = new Map([
  ...["number", "bigint", "Int32", "Long", "Double", "Decimal128"].map((kind) =>
    [kind, "number"] as const
  ),
  ...["string", "BSONSymbol"].map((kind) => [kind, "string"] as const),
  ...[["boolean", "bool"], ["Binary", "binData"], ["ObjectId", "objectId"]] as const,
  ["Timestamp", "timestamp"],
]);

function typeOf(id: unknown): string {
  if (id === null) return "null";
  if (id instanceof Date) return "date";
  const kind = typeof id === "object" ? (id as { _bsontype?: string })._bsontype : typeof id;
  const type = kind === undefined ? "object" : orderOf.get(kind);
  if (type === undefined) {
    throw new RangeError(`it cannot be read on from the _id ${String(id)}`);
  }
  return type;
}

/** Finds the documents after one, by its id as `idText` has it: comparing finds those of its own type alone. */
function isAfterId(text: string): Document {
  const { id } = BSON.EJSON.parse(text, { relaxed: false });
  const later = order.slice(order.indexOf(typeOf(id)) + 1);
  return { $or: [{ _id: { $gt: id } }, ...later.map((type) => ({ _id: { $type: type } }))] };
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

const toProjection = (names: readonly string[]) =>
  Object.fromEntries(names.map((path) => [path, 1] as const));

/** Reads a cursor to its end, and closes it wherever reading ends. */
type ReadCursor = (cursor: FindCursor<Document>) => AsyncGenerator<Document, void>;

/** What documents of a kind give. */
interface DocumentRows extends Omit<RowSource, "name" | "openCursors" | "warnings" | "close"> {
  readonly warnings: readonly string[];
}

function mongodbSource(
  name: string,
  client: MongoClient,
  rowsOf: (readCursor: ReadCursor) => DocumentRows,
): RowSource {
  const cursors = new Set<FindCursor<Document>>();
  const close = async (cursor: FindCursor<Document>) => {
    if (!cursors.delete(cursor)) return;
    // It tells the server, which may be why we close; there is nothing left to save then.
    await cursor.close().catch(() => {});
  };
  const rows = rowsOf(async function* (cursor) {
    cursors.add(cursor);
    try {
      for await (const document of cursor) yield document;
    } finally {
      await close(cursor);
    }
  });
  return {
    ...{ ...rows, name },
    get openCursors() {
      return cursors.size;
    },
    warnings: () => Promise.resolve([...rows.warnings]),
    async close() {
      await Promise.all(Array.from(cursors, close));
      await client.close();
    },
  };
}

/** Opens documents of a collection. */
async function openCollection(
  name: string,
  client: MongoClient,
  selection: Selection,
  { name: collectionName, filter: filterText }: Selection["from"] & { kind: "collection" },
): Promise<RowSource> {
  const { time, orderBy, after, fields: selected = [], maxValueBytes } = selection;
  const filter = filterText === undefined ? {} : BSON.EJSON.parse(filterText) as Document;
  const names = (await client.db().listCollections({}, { nameOnly: true }).toArray())
    .map((one) => one.name).sort();
  if (!names.includes(collectionName)) {
    const known = names.join(", ") || "none at all";
    throw new RangeError(`there is no collection ${JSON.stringify(collectionName)}, but ${known}`);
  }
  const collection = client.db().collection<Document>(collectionName);
  const fields = selected.map(({ path, title }) => ({ title, path: path.split(".") }));
  const isWhole = fields.length === 0;
  const isAll = time === undefined && Object.keys(filter).length === 0;
  const isIndexed = time === undefined || (await collection.indexes().catch(() => []))
    .some(({ key }) => Object.keys(key)[0] === time.field);
  const span = time === undefined || orderBy !== undefined
    ? undefined
    : { from: time.period.fromMs, to: time.period.toMs };

  function toRow(document: Document, ordersOf: FieldOrders): Value[] {
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
    if (isWhole) return [read(wholeTitle, document)];
    return fields.map(({ title, path }) => read(title, fieldAt(document, path)));
  }

  function find({ part = span, batchSize, projection }: CursorOptions): FindCursor<Document> {
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
      ...fields.map(({ path }) => withoutPlaces(path).join(".")),
      ...(time === undefined ? [] : [time.field]),
    ];
    // Of two paths of which one leads into the other, the shorter brings both.
    const paths = needed.filter((path) => !needed.some((other) => path.startsWith(`${other}.`)));
    return collection.find({ $and: [filter, ...isAfter, ...inPart] }, {
      // As bytes, which have the order of fields.
      raw: true,
      batchSize,
      // In pairs: an object would put a field called 1 first.
      sort: sort as [string, 1 | -1][],
      allowDiskUse: true,
      ...(projection && !isWhole ? { projection: toProjection(["_id", ...paths]) } : {}),
    });
  }

  const expectedRows = isAll ? await collection.estimatedDocumentCount() : undefined;
  return mongodbSource(name, client, (readCursor) => ({
    ...{ span, isWhole, expectedRows },
    titles: isWhole ? [wholeTitle] : fields.map(({ title }) => title),
    key: time === undefined && orderBy === undefined ? ["_id"] : [],
    notCut: orderBy === undefined
      ? "give a --time-field with --from and --to"
      : "parts follow each other by time, not as --order-by says",
    warnings: isIndexed ? [] : [
      `no index on ${time!.field}, so all documents are read and sorted for each part: ` +
      `db.getCollection(${JSON.stringify(collectionName)}).createIndex(` +
      `${JSON.stringify({ [time!.field]: 1 })})`,
    ],
    async reportUnplaced({ onRow, onBadRow, signal }) {
      if (time === undefined) return;
      const cursor = collection.find({ $and: [filter, isTimeMissing(time.field)] }, {
        ...readOptions,
        projection: toProjection(["_id", time.field]),
      });
      for await (const document of readCursor(cursor)) {
        signal?.throwIfAborted();
        onRow();
        const reason = timeProblem(time.field, fieldAt(document, time.field.split(".")));
        onBadRow(new BadRowError(idOf(document), reason));
      }
    },
    async *read(options) {
      const batches = new BatchBuilder(options.batchSize);
      const timePath = time?.field.split(".");
      let count = 0;
      for await (const one of readCursor(find(options))) {
        options.onRow();
        const bytes = one as Uint8Array;
        const document = BSON.deserialize(bytes, readOptions);
        try {
          const row = toRow(document, fieldOrders(bytes, document));
          const at = timePath === undefined ? ++count : fieldAt(document, timePath);
          const key = selection.isResumable ? [idText(document._id)] : undefined;
          yield* batches.add(row, at instanceof Date ? at.getTime() : Number(at), key);
        } catch (error) {
          if (!(error instanceof BadRowError)) throw error;
          options.onBadRow(error);
        }
      }
      yield* batches.rest();
    },
  }));
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

/** Opens the messages of documents that each hold a conversation. */
async function openConversations(
  name: string,
  client: MongoClient,
  { time, fields, maxValueBytes }: Selection,
): Promise<RowSource> {
  const collection = client.db().collection<Document>(collectionName);
  const indexes = await collection.indexes() as { name?: string; key: Document }[];
  const { fromMs, toMs } = time!.period;
  const span = { from: fromMs, to: toMs };
  const chosen = chooseFields(fields, conversationTitles);
  const titles = chosen.map(({ index }) => conversationTitles[index]!);
  /** The name of the index that the query walks along, if it exists. */
  const walked = indexes.find(({ key }) =>
    String(Object.entries(key).slice(0, 2)) === "startedAt,1,_id,1"
  )?.name;
  const createIndex = (keys: object) => `db.${collectionName}.createIndex(${JSON.stringify(keys)})`;

  function find({ part = span, batchSize, projection }: CursorOptions): FindCursor<Document> {
    const [from, to] = [new Date(part.from), new Date(part.to)];
    const needed = [...always, ...titles.map((title) => paths[title])];
    return collection.find({
      startedAt: { $lt: to, $type: "date" },
      endedAt: { $type: "date" },
      // One that ends before it begins is read where it begins.
      $or: [{ endedAt: { $gte: from } }, { startedAt: { $gte: from } }],
    }, {
      ...readOptions,
      batchSize,
      sort: { startedAt: 1, _id: 1 },
      allowDiskUse: true,
      ...(walked === undefined ? {} : { hint: walked }),
      ...(projection ? { projection: toProjection(needed) } : {}),
    });
  }

  return mongodbSource(name, client, (readCursor) => ({
    ...{ span, key: [], titles: chosen.map(({ title }) => title) },
    warnings: [
      ...(walked !== undefined ? [] : [
        "no index on the time of conversations, so all are read and sorted for each part: " +
        createIndex(indexKeys),
      ]),
      ...(indexes.some(({ key }) => Object.keys(key)[0] === "messages.sentAt") ? [] : [
        "no index on the time of messages, so all are read for those outside their conversations: " +
        createIndex(messageIndexKeys),
      ]),
    ],
    async reportUnplaced({ onRow, onBadRow, signal }) {
      const [from, to] = [new Date(fromMs), new Date(toMs)];
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
      const projection = toProjection(always);
      for (const filter of filters) {
        const cursor = collection.find(filter, { ...readOptions, projection });
        for await (const document of readCursor(cursor)) {
          signal?.throwIfAborted();
          reportUnplacedMessages(document, { whole: span, onRow, onBadRow });
        }
      }
    },
    async *read(options) {
      const { part = span } = options;
      const order = new TimeOrder();
      const batches = new BatchBuilder(options.batchSize);
      for await (const document of readCursor(find(options))) {
        // Before the rows of the document itself: they are not earlier than its beginning.
        for (const { row, sentAtMs } of order.takeBefore(document.startedAt.getTime())) {
          yield* batches.add(row, sentAtMs);
        }
        order.add(
          conversationRows(document, { ...options, part, whole: span, titles, maxValueBytes }),
        );
      }
      for (const { row, sentAtMs } of order.takeBefore(Infinity)) yield* batches.add(row, sentAtMs);
      yield* batches.rest();
    },
  }));
}

async function openSelected(
  name: string,
  client: MongoClient,
  selection: Selection,
): Promise<RowSource> {
  const { from } = selection;
  if (from.kind === "conversations") return await openConversations(name, client, selection);
  if (from.kind === "collection") return await openCollection(name, client, selection, from);
  throw new RangeError("MongoDB has collections, not tables: use --collection");
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
