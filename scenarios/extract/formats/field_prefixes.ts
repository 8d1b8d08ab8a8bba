import type { RowFormat } from "./row_format.ts";

const encoder = new TextEncoder();

/** What stands before each field of a line, as bytes, where none of them is missing. */
export function fieldPrefixes({ marks: [before, between], names }: RowFormat, count: number) {
  return Array.from(
    { length: count },
    (_, index) => encoder.encode((index === 0 ? before : between) + (names?.[index] ?? "")),
  );
}
