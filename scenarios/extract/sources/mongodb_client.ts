import { BSON, type Document, MongoClient } from "mongodb";
import { type Value, valueBytes } from "../value.ts";

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

/** Whether a value has more bytes than it may; texts are counted only where it is close. */
export function isTooLarge(value: Value, maxValueBytes: number): boolean {
  const least = valueBytes(value);
  if (least > maxValueBytes) return true;
  if (typeof value !== "string" || least * 3 <= maxValueBytes) return false;
  return new TextEncoder().encode(value).length > maxValueBytes;
}

const isNumber = (id: unknown) => typeof id === "number" || typeof id === "bigint";

/** Orders ids: numbers by their size before all others, which go by their text. */
export function compareIds(one: unknown, other: unknown): number {
  if (isNumber(one) && isNumber(other)) {
    const [left, right] = [one as number, other as number];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The collection of conversations. */
export const collectionName = "conversations";

/** Time first: reading a part by time, then id, is a walk along it; the end of each is in it too. */
export const indexKeys = { startedAt: 1, _id: 1, endedAt: 1 } as const;

/** For messages that lie outside their conversations to be found. */
export const messageIndexKeys = { "messages.sentAt": 1 } as const;

/** The driver would look for a server for half a minute; the address may say otherwise. */
const lookMs = 5_000;

/** How values come: integers of 64 bits with all their digits. */
export const readOptions = { useBigInt64: true, bsonRegExp: true, promoteValues: true } as const;

/** A client that gives up on a server which says nothing, unless the address says otherwise. */
export function mongodbClient(address: string, timeoutMs: number): MongoClient {
  const has = (name: string) => new RegExp(`[?&]${name}=`, "i").test(address);
  return new MongoClient(address, {
    ...(has("serverSelectionTimeoutMS")
      ? {}
      : { serverSelectionTimeoutMS: Math.min(lookMs, timeoutMs) }),
    ...(has("socketTimeoutMS") ? {} : { socketTimeoutMS: timeoutMs }),
    ...(has("connectTimeoutMS") ? {} : { connectTimeoutMS: timeoutMs }),
    // A read that failed is not begun again behind our back: it might not give what the first has given.
    ...(has("retryReads") ? {} : { retryReads: false }),
  });
}
