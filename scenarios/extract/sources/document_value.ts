import { Buffer } from "node:buffer";
import { BSON } from "mongodb";
import { JsonText, type Value } from "../value.ts";
import type { FieldOrders } from "./mongodb_client.ts";

const { EJSON } = BSON;

interface BsonValue {
  readonly _bsontype?: string;
  toHexString?(): string;
  toString(): string;
}

/** By what made it, not by its fields: a document may have one of that name. */
function isBson(value: object): value is BsonValue {
  return value instanceof BSON.BSONValue;
}

/** What has a text of its own that says all; the rest is as MongoDB's Extended JSON has it. */
function scalar(
  value: unknown,
): string | number | bigint | boolean | null | Uint8Array | undefined {
  if (value === null || value === undefined) return value;
  if (typeof value !== "object") return value as string | number | bigint | boolean;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RangeError("is a date out of range");
    return value.toISOString();
  }
  if (value instanceof Uint8Array) return value;
  if (!isBson(value)) return undefined;
  switch (value._bsontype) {
    case "ObjectId":
    case "ObjectID":
      return value.toHexString!();
    case "Decimal128":
    case "Long":
    case "BSONSymbol":
      return value.toString();
    case "Int32":
    case "Double":
      return Number(value);
    case "UUID":
      return value.toHexString!();
    case "Binary": {
      const { sub_type, buffer, position } = value as unknown as {
        sub_type: number;
        buffer: Uint8Array;
        position: number;
      };
      return sub_type === 4 && position === 16
        ? new BSON.UUID(buffer.subarray(0, 16)).toHexString()
        : buffer.subarray(0, position);
    }
  }
  return undefined;
}

/** Whether JavaScript may have put a field first because its name is a number. */
function isReordered(entries: readonly [name: string, value: unknown][]): boolean {
  return entries.length > 1 && /^\d/.test(entries[0]![0]);
}

function json(value: unknown, ordersOf: FieldOrders): string {
  const plain = scalar(value);
  if (typeof plain === "bigint") return String(plain);
  if (plain instanceof Uint8Array) {
    return JSON.stringify(
      Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString("base64"),
    );
  }
  if (Object.is(plain, -0)) return "-0.0";
  if (typeof plain === "number" && !Number.isFinite(plain)) return JSON.stringify(String(plain));
  if (plain !== undefined) return JSON.stringify(plain);
  if (Array.isArray(value)) return `[${value.map((one) => json(one ?? null, ordersOf)).join(",")}]`;
  if (isBson(value as object)) return EJSON.stringify(value, { relaxed: true });
  if (value instanceof RegExp) return EJSON.stringify(value, { relaxed: true });
  const object = value as Readonly<Record<string, unknown>>;
  const found = Object.entries(object);
  const entries = isReordered(found)
    ? ordersOf(object).map((name) => [name, object[name]] as const)
    : found;
  const fields = entries.filter(([, one]) => one !== undefined)
    .map(([name, one]) => `${JSON.stringify(name)}:${json(one, ordersOf)}`);
  return `{${fields.join(",")}}`;
}

/**
 * A value of a document as it is exported: an ObjectId, a number of any length, a date as text; arrays and objects as
 * JSON.
 *
 * @param ordersOf In which order objects have their fields. Default: as JavaScript has them.
 * @throws {RangeError} If it is a date that no text stands for.
 */
export function documentValue(value: unknown, ordersOf: FieldOrders = Object.keys): Value {
  const plain = scalar(value);
  return plain === undefined && value !== undefined ? new JsonText(json(value, ordersOf)) : plain;
}
