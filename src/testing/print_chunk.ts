import { describeValue } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";

const mostLetters = 40;

function textOf(chunk: unknown): string {
  if (isBytes(chunk)) return `${chunk.length} bytes`;
  if (chunk === null || typeof chunk !== "object") return describeValue(chunk);
  if (chunk instanceof Error) return String(chunk);
  try {
    return JSON.stringify(chunk) ?? describeValue(chunk);
  } catch {
    return describeValue(chunk);
  }
}

/** A chunk or a reason in the few letters that a message has for it. */
export function printChunk(chunk: unknown): string {
  const text = textOf(chunk);
  return text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;
}

/** A buffer as it is drawn: `|1|2|`. */
export function drawBuffer(chunks: readonly unknown[]): string {
  const most = 20;
  const left = chunks.length - most;
  const shown = chunks.slice(-most).map(printChunk);
  return chunks.length === 0 ? "||" : `|${left > 0 ? `${left} more|` : ""}${shown.join("|")}|`;
}
