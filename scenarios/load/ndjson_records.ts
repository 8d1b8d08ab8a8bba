import { lines } from "../../src/stages/lines.ts";
import { reader } from "../../src/sources/reader.ts";
import { JsonText } from "../extract/json_text.ts";
import type { DeadLetter, Field, LoadRecord } from "./load_record.ts";

/** JSON of ECMAScript 2026, which keeps the digits of numbers. */
interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const exact = JSON as unknown as ExactJson;

const maxLength = 2 ** 28;

/** Keeps a number that would be read as another as its text. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  const isOther = typeof value === "number" && source !== undefined && String(value) !== source;
  return isOther ? exact.rawJSON(source) : value;
}

const toField = (value: unknown): Field =>
  value === null || typeof value === "string" ? value : new JsonText(JSON.stringify(value));

/**
 * Reads an object a line; numbers keep their digits. A line that is no object is a dead letter.
 *
 * @throws {SyntaxError} If the bytes are no text of the encoding.
 */
export async function* ndjsonRecords(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<(LoadRecord | DeadLetter)[], void> {
  const known = new Map<string, readonly string[]>();
  let line = 0;
  let found: (LoadRecord | DeadLetter)[] = [];
  const texts = reader(chunks).pipeThrough(
    new TransformStream(lines({ maxLength, encoding, fatal: true })),
  );
  for await (const text of texts) {
    line++;
    if (/^\s*$/.test(text)) continue;
    let value: unknown;
    try {
      value = exact.parse(text, keepDigits);
    } catch {
      value = undefined;
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      found.push({ line, reason: "the line is no JSON object", row: text });
    } else {
      const own = Object.keys(value);
      const key = JSON.stringify(own);
      const names = known.get(key) ?? own;
      // Of documents that all differ there would be no end.
      if (known.size < 1_000) known.set(key, names);
      found.push({ line, names, fields: Object.values(value).map(toField) });
    }
    if (found.length === 100) {
      yield found;
      found = [];
    }
  }
  yield found;
}
