import { BSON, type Document } from "mongodb";

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
export function isAfterId(text: string): Document {
  const { id } = BSON.EJSON.parse(text, { relaxed: false });
  const later = order.slice(placeOf(id) + 1).flat();
  const own = { _id: { $gt: id } };
  return later.length === 0
    ? own
    : { $or: [own, ...later.map((type) => ({ _id: { $type: type } }))] };
}
