import { joinBytes } from "./is_bytes.ts";

/** What one must know, to cut it, of text or of bytes. */
export interface Parts<T extends { readonly length: number }> {
  /** Where `delimiter` begins in `whole`, from `start` on; -1 if nowhere. */
  find(whole: T, delimiter: T, start: number): number;
  /** A part of it, which need not have memory of its own. */
  view(whole: T, start: number, end: number): T;
  /** A part that shares no memory that the source may use again. */
  copy(whole: T, start: number, end: number): T;
  /** Puts parts together. */
  join(parts: readonly T[]): T;
}

export const textParts: Parts<string> = {
  find: (whole, delimiter, start) => whole.indexOf(delimiter, start),
  view: (whole, start, end) => whole.slice(start, end),
  copy: (whole, start, end) => whole.slice(start, end),
  join: (parts) => parts.join(""),
};

export const byteParts: Parts<Uint8Array> = {
  find(whole, delimiter, start) {
    const last = whole.length - delimiter.length;
    let index = whole.indexOf(delimiter[0]!, start);
    while (index !== -1 && index <= last) {
      let matched = 1;
      while (matched < delimiter.length && whole[index + matched] === delimiter[matched]) matched++;
      if (matched === delimiter.length) return index;
      index = whole.indexOf(delimiter[0]!, index + 1);
    }
    return -1;
  },
  view: (whole, start, end) => whole.subarray(start, end),
  copy: (whole, start, end) => new Uint8Array(whole.subarray(start, end)),
  join: (parts) => joinBytes(parts, parts.reduce((sum, { length }) => sum + length, 0)),
};
