import type { Delivery, Receipt } from "../queue_source.ts";

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

/** What an entry has as its body. */
export function readRedisBody(fields: ReadonlyMap<string, string>): string | Uint8Array | null {
  const [text, base64] = [fields.get("text"), fields.get("base64")];
  if (text !== undefined || base64 === undefined) return text ?? null;
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
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
  readonly flaw: { readonly reason: unknown } | undefined;

  constructor([entry, count, isolations, list]: RedisEntry, tag: string) {
    const fields = readFields(list);
    this.entry = entry;
    this.count = Number(count);
    this.tag = tag;
    this.name = fields.get("id") ?? "";
    this.key = fields.get("key") ?? "";
    this.id = this.name || `${tag}-${fields.get("entry") ?? entry}`;
    this.deliveries = Number(fields.get("deliveries") ?? 0) + this.count;
    this.failures = Number(fields.get("failures") ?? 0);
    this.isolations = Number(isolations);
    this.body = readRedisBody(fields) as T;
    this.flaw = this.body === null ? { reason: new Error("Its body is missing") } : undefined;
  }

  get receipt(): Receipt {
    return this;
  }
}
