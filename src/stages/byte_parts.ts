import { joinBytes } from "../is_bytes.ts";
import type { Parts } from "./delimiter_splitter.ts";

/** What a splitter must know of bytes. */
export class ByteParts implements Parts<Uint8Array> {
  find(whole: Uint8Array, delimiter: Uint8Array, start: number): number {
    const last = whole.length - delimiter.length;
    let index = whole.indexOf(delimiter[0]!, start);
    while (index !== -1 && index <= last) {
      let matched = 1;
      while (matched < delimiter.length && whole[index + matched] === delimiter[matched]) matched++;
      if (matched === delimiter.length) return index;
      index = whole.indexOf(delimiter[0]!, index + 1);
    }
    return -1;
  }

  view(whole: Uint8Array, start: number, end: number): Uint8Array {
    return whole.subarray(start, end);
  }

  copy(whole: Uint8Array, start: number, end: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(whole.subarray(start, end));
  }

  join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    return joinBytes(parts, parts.reduce((sum, { length }) => sum + length, 0));
  }
}
