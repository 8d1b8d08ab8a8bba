import type { Delivery, Receipt } from "../queue_source.ts";
import { type Flaw, readCounts } from "./read_counts.ts";

/** A message as the script gives it: its entry, how often that was handed over, its isolations, and its fields. */
export type RedisEntry = readonly [
  entry: string,
  count: number,
  isolations: number,
  fields: readonly string[],
];

/** The fields of an entry by their names. */
export function readFields(fields: readonly string[]): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    read.set(fields[index]!, fields[index + 1]!);
  }
  return read;
}

/** More fields than any entry of ours has, and than the script can put into another entry. */
const mostFields = 1_000;

/** What an entry has as its body; throws if that cannot be read. */
export function readRedisBody(fields: ReadonlyMap<string, string>): string | Uint8Array | null {
  const [text, base64] = [fields.get("text"), fields.get("base64")];
  if (text !== undefined || base64 === undefined) return text ?? null;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new TypeError("Its base64 cannot be read", { cause });
  }
}

/** A field as a number, if it says one. */
function toCount(field: string | undefined): unknown {
  return field === undefined ? 0 : /^[0-9]+$/.test(field) ? Number(field) : field;
}

/** The counts that are fields of an entry. */
export function readRedisCounts(
  fields: ReadonlyMap<string, string>,
): ReturnType<typeof readCounts> {
  return readCounts({
    deliveries: toCount(fields.get("deliveries")),
    failures: toCount(fields.get("failures")),
    isolations: 0,
  });
}

/** A message as a lease hands it over. */
export class RedisDelivery<T> implements Delivery<T>, Receipt {
  readonly body: T;
  readonly id: string;
  /** Where it is in the stream, and how often that was handed over. */
  readonly entry: string;
  readonly count: number;
  readonly tag: string;
  /** The id that its sender gave it, and the key; empty if there is none. */
  readonly name: string;
  readonly key: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  flaw: Flaw | undefined;

  constructor([entry, count, isolations, list]: RedisEntry, tag: string) {
    const fields = readFields(list);
    this.entry = entry;
    this.count = Number(count);
    this.tag = tag;
    this.name = fields.get("id") ?? "";
    this.key = fields.get("key") ?? "";
    this.id = this.name || `${tag}-${fields.get("entry") ?? entry}`;
    const { counts, flaw } = readRedisCounts(fields);
    this.deliveries = counts.deliveries + this.count;
    this.failures = counts.failures;
    this.isolations = Number(isolations);
    this.flaw = flaw;
    let body: T | null = null;
    try {
      body = readRedisBody(fields) as T | null;
      if (body === null) throw new Error("Its body is missing");
      if (fields.size > mostFields) throw new Error(`It has ${fields.size} fields`);
    } catch (reason) {
      this.flaw ??= { reason };
    }
    this.body = body as T;
  }

  get receipt(): Receipt {
    return this;
  }
}
