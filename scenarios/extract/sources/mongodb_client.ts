import { MongoClient } from "mongodb";

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
