import { BSON, type Collection, type Document, type FindCursor, type MongoClient } from "mongodb";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import { BatchBuilder } from "../batch_builder.ts";
import type { CursorOptions, Field, RowBatch, RowSource, Selection, Span } from "../source.ts";
import type { Value } from "../value.ts";
import { documentValue } from "./document_value.ts";
import {
  type FieldOrders,
  fieldOrders,
  isTooLarge,
  MongodbCursors,
  readOptions,
} from "./mongodb_client.ts";
import { isTimeMissing, timeProblem } from "./time_order.ts";

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
export class MongodbCollection implements RowSource {
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
