import { Buffer } from "node:buffer";
import { JsonText, TextBytes, type Value } from "../value.ts";

/** Types of PostgreSQL, by their numbers, which are the same everywhere. */
export const postgresTypes = {
  bool: 16,
  bytea: 17,
  name: 19,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  xml: 142,
  float4: 700,
  float8: 701,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  time: 1083,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
  timetz: 1266,
  numeric: 1700,
  uuid: 2950,
  jsonb: 3802,
} as const;

const t = postgresTypes;

/** Types whose values are numbers. */
export const numberTypes: ReadonlySet<number> = new Set([
  t.int2,
  t.int4,
  t.int8,
  t.oid,
  t.float4,
  t.float8,
  t.numeric,
]);
const times = new Set<number>([t.timestamp, t.timestamptz]);

/** No number has more digits, with the marks among them. */
export const mostNumericBytes = 150_000;

/** No value of a fixed type has more. */
export const mostFixedBytes = 128;

/** Types whose values are never large. */
export const fixedTypes: ReadonlySet<number> = new Set([
  ...[t.bool, t.name, t.int2, t.int4, t.int8, t.oid, t.float4, t.float8],
  ...[t.date, t.time, t.timetz, t.timestamp, t.timestamptz, t.interval, t.uuid],
]);

/** Types whose values may be large, and whose length is known before they are fetched. */
export const longTypes: ReadonlySet<number> = new Set([
  t.text,
  t.varchar,
  t.bpchar,
  t.xml,
  t.bytea,
]);

/**
 * A value as the server tells it, in text, whole: numbers keep all digits, times are as ISO 8601 has them. `undefined`
 * if it is no UTF-8, which a database without an encoding may hold.
 */
export function postgresValue(
  bytes: Uint8Array,
  type: number,
): Exclude<Value, undefined> | undefined {
  if (type === t.bytea) {
    // After \x come the digits.
    return new Uint8Array(Buffer.from(Buffer.from(bytes.subarray(2)).toString("latin1"), "hex"));
  }
  const text = TextBytes.read(bytes);
  if (typeof text !== "string") {
    return text instanceof TextBytes ? new TextBytes(bytes.slice()) : text;
  }
  if (type === t.bool) return text === "t";
  // Zero with a sign, which JSON writes in a way of its own.
  if (text === "-0" && numberTypes.has(type)) return -0;
  // The server's own digits, of which JSON takes all but NaN and the infinite.
  if (numberTypes.has(type)) return /\d/.test(text) ? new JsonText(text) : text;
  if (type === t.json || type === t.jsonb) return new JsonText(text);
  if (times.has(type) && /\d/.test(text) && !text.endsWith("BC")) {
    return text.replace(" ", "T").replace(/\+00$/, "Z");
  }
  return text;
}

/** What the length in bytes is taken of; that of padded text counts the padding, as it is exported. */
export function castOf(type: number): string {
  return type === t.bytea ? "bytea" : type === t.bpchar ? "bpchar" : "text";
}
