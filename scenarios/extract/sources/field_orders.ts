import { BSON, type Document } from "mongodb";

/** Gives the names of an object's fields as the database has them. */
export type FieldOrders = (value: object) => readonly string[];

const kinds = { object: 3, array: 4 };

function readOrders(
  bytes: Uint8Array,
  value: Document,
  orders: Map<object, readonly string[]>,
): void {
  const names = new Set<string>();
  for (const [kind, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + nameLength));
    names.add(name);
    const inner: unknown = value[name];
    const isInner = kind === kinds.object || kind === kinds.array;
    if (isInner && typeof inner === "object" && inner !== null) {
      readOrders(bytes.subarray(at, at + length), inner, orders);
    }
  }
  orders.set(value, [...names]);
}

/**
 * The order of fields in a document and in what it holds. JavaScript's objects put names that are numbers first, so
 * that it is read of the bytes, if it is asked for.
 */
export function fieldOrders(bytes: Uint8Array, document: Document): FieldOrders {
  let orders: Map<object, readonly string[]> | undefined;
  return (value) => {
    if (orders === undefined) readOrders(bytes, document, orders = new Map());
    return orders.get(value) ?? Object.keys(value);
  };
}
