import { Buffer } from "node:buffer";
import { BSON } from "mongodb";
import { JsonText } from "../json_text.ts";
import type { Value } from "../value.ts";

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

function json(value: unknown): string {
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
  if (Array.isArray(value)) return `[${value.map((one) => json(one ?? null)).join(",")}]`;
  if (isBson(value as object)) return EJSON.stringify(value, { relaxed: true });
  if (value instanceof RegExp) return EJSON.stringify(value, { relaxed: true });
  const entries = Object.entries(value as object).filter(([, one]) => one !== undefined);
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${json(one)}`).join(",")}}`;
}

/**
 * A value of a document as it is exported: an ObjectId, a number of any length, a date as text; arrays and objects as
 * JSON.
 *
 * @throws {RangeError} If it is a date that no text stands for.
 */
export function documentValue(value: unknown): Value {
  const plain = scalar(value);
  return plain === undefined && value !== undefined ? new JsonText(json(value)) : plain;
}
