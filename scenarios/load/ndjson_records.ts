import { lines } from "../../src/stages/lines.ts";
import { reader } from "../../src/sources/reader.ts";
import { JsonText } from "../extract/json_text.ts";
import { jsonParts } from "./json_parts.ts";
import type { DeadLetter, Field, LoadRecord } from "./load_record.ts";
import { SpeltText } from "./spelt_text.ts";

const maxLength = 2 ** 28;

function toField(json: string): Field {
  if (json === "null") return null;
  if (!json.startsWith('"')) return new JsonText(json);
  const text = JSON.parse(json) as string;
  return JSON.stringify(text) === json ? text : new SpeltText(text, json);
}

/** The fields of an object, each as it stands there; the last of those of one name. Or why it is none. */
function fieldsOf(text: string): Map<string, string> | string {
  if (!/^\s*\{/.test(text)) return "the line is no JSON object";
  try {
    const parts = jsonParts(text);
    const fields = new Map<string, string>();
    for (let at = 0; at < parts.length; at += 2) {
      fields.set(JSON.parse(parts[at]!) as string, parts[at + 1]!);
    }
    return fields;
  } catch (error) {
    const isDeep = /nests deeper/.test((error as Error).message);
    return isDeep
      ? `the line is refused: ${(error as Error).message}`
      : "the line is no JSON object";
  }
}

/**
 * Reads an object a line; what is no text is JSON as it stands. A line that is no object is a dead letter.
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
    const fields = fieldsOf(text);
    if (typeof fields === "string") {
      found.push({ line, reason: fields, row: text });
    } else {
      const own = [...fields.keys()];
      const key = JSON.stringify(own);
      const names = known.get(key) ?? own;
      // Of documents that all differ there would be no end.
      if (known.size < 1_000) known.set(key, names);
      found.push({ line, names, fields: Array.from(fields.values(), toField) });
    }
    if (found.length === 100) {
      yield found;
      found = [];
    }
  }
  yield found;
}
