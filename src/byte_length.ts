import { isBytes } from "./is_bytes.ts";

/** The bytes that `text` takes as UTF-8; what is half a surrogate pair takes the three of U+FFFD. */
function countUtf8Bytes(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    count++;
    if (unit < 0x800) continue;
    count++;
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    const next = isHigh ? text.charCodeAt(index + 1) : 0;
    // Of a pair, four bytes: the two units are counted already.
    if (next >= 0xdc00 && next < 0xe000) index++;
  }
  return count;
}

/** The bytes of a chunk: as they are, or as UTF-8; `undefined` if it is neither bytes nor text. */
export function byteLengthOf(chunk: unknown): number | undefined {
  if (typeof chunk === "string") return countUtf8Bytes(chunk);
  return isBytes(chunk) ? chunk.length : undefined;
}
