import { TextBytes } from "./text_bytes.ts";

const windowLength = 32_768;

/** Bytes after which what was made of them is collected. */
const collectBytes = 16_777_216;

/** Bun lets garbage grow as large as what is held, which is a large text. */
const bun = (globalThis as { readonly Bun?: { gc(isForced: boolean): void } }).Bun;

/** Cuts a large text into short ones, none of which begins or ends within a character. */
export function* textWindows(text: string | TextBytes): Generator<string> {
  if (text instanceof TextBytes) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for (let start = 0; start < text.bytes.length; start += windowLength) {
      yield decoder.decode(text.bytes.subarray(start, start + windowLength), { stream: true });
      if ((start + windowLength) % collectBytes === 0) bun?.gc(true);
    }
    return;
  }
  for (let start = 0; start < text.length;) {
    const last = text.charCodeAt(start + windowLength - 1);
    const end = start + windowLength + (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
