import { JsonText } from "./json_text.ts";
import { TextBytes } from "./text_bytes.ts";
import type { Value } from "./value.ts";

/** About how much memory a value takes, in bytes. */
export function valueBytes(value: Value): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof TextBytes) return value.bytes.length;
  if (value instanceof JsonText) return value.text.length;
  return 8;
}
