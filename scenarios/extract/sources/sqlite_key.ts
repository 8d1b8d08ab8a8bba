import { Buffer } from "node:buffer";
import type { SQLInputValue } from "node:sqlite";

/** A key as it stands in a statement, and the values that are bound to it. */
export interface SqliteKey {
  readonly literals: readonly string[];
  readonly values: readonly SQLInputValue[];
}

function readLiteral(literal: string): { literal: string; value: SQLInputValue } {
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
  const text = /^\+CAST\(x'((?:[\dA-F]{2})*)' AS TEXT\)$/.exec(literal)?.[1];
  // Bound as its bytes: one runtime would cut a text at U+0000.
  if (text !== undefined) return { literal: "+CAST(? AS TEXT)", value: bytes(text) };
  const blob = /^x'((?:[\dA-F]{2})*)'$/.exec(literal)?.[1];
  if (blob !== undefined) return { literal: "?", value: bytes(blob) };
  if (/^-?\d{1,19}$/.test(literal)) {
    const value = BigInt(literal);
    if (BigInt.asIntN(64, value) === value) return { literal: "?", value };
  }
  if (/^-?(?:9e999|\d+\.\d+(?:e[+-]\d+)?)$/.test(literal)) {
    return { literal: "?", value: Number(literal) };
  }
  throw new RangeError(`its key is not one that an export has kept: ${literal.slice(0, 40)}`);
}

/**
 * Reads a key that is literals of `sqliteLiteral`, so that nothing of it is run.
 *
 * @throws {RangeError} If it is no such key.
 */
export function sqliteKey(kept: readonly string[]): SqliteKey {
  const read = kept.map(readLiteral);
  return {
    literals: read.map(({ literal }) => literal),
    values: read.map(({ value }) => value),
  };
}
