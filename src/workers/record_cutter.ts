import { throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
import type { Block, Cutter } from "./blocks.ts";

/** What the cutter needs of bytes or of text. */
interface Kind<T> {
  lengthOf(part: T): number;
  join(parts: readonly T[]): T;
  slice(part: T, from: number, to?: number): T;
  /** Where the first delimiter in `part` begins, from `from` on; -1 if there is none. */
  first(part: T, from: number): number;
  /** Where the last unit of a delimiter of one is; -1 if there is none. */
  last(part: T): number;
  startsWithMark(part: T): boolean;
  readonly mark: T;
}

function ofText(delimiter: string): Kind<string> {
  return {
    lengthOf: (part) => part.length,
    join: (parts) => parts.join(""),
    slice: (part, from, to) => part.slice(from, to),
    first: (part, from) => part.indexOf(delimiter, from),
    last: (part) => part.lastIndexOf(delimiter),
    startsWithMark: (part) => part.startsWith("\uFEFF"),
    mark: "\uFEFF",
  };
}

function ofBytes(delimiter: string): Kind<Uint8Array> {
  const needle = new TextEncoder().encode(delimiter);
  const size = needle.length;
  const isAt = (part: Uint8Array, at: number) => {
    for (let index = 0; index < size; index++) if (part[at + index] !== needle[index]) return false;
    return true;
  };
  return {
    lengthOf: (part) => part.length,
    join: (parts) => joinBytes(parts, parts.reduce((sum, part) => sum + part.length, 0)),
    slice: (part, from, to) => part.subarray(from, to),
    first(part, from) {
      let at = from - 1;
      while ((at = part.indexOf(needle[0]!, at + 1)) !== -1) if (isAt(part, at)) return at;
      return -1;
    },
    last: (part) => part.lastIndexOf(needle[0]!),
    startsWithMark: (part) => part[0] === 0xEF && part[1] === 0xBB && part[2] === 0xBF,
    mark: new Uint8Array([0xEF, 0xBB, 0xBF]),
  };
}

/** Blocks of whole records: bytes or text, cut behind a delimiter. */
class RecordCutter<T> implements Cutter {
  readonly #kind: Kind<T>;
  readonly #delimiterLength: number;
  readonly #blockSize: number;
  readonly #maxRecord: number;
  /** What belongs to the next block. */
  #parts: T[] = [];
  #length = 0;
  /** Where the last delimiter ends that was seen; 0 if none was. */
  #end = 0;
  #isFirst = true;

  constructor(kind: Kind<T>, delimiterLength: number, blockSize: number, maxRecord: number) {
    this.#kind = kind;
    this.#delimiterLength = delimiterLength;
    this.#blockSize = blockSize;
    this.#maxRecord = maxRecord;
  }

  add(chunk: T): Block | undefined {
    const kind = this.#kind;
    const length = kind.lengthOf(chunk);
    if (length === 0) return undefined;
    // A delimiter may begin in what came before.
    const before = this.#tail();
    const seen = before === undefined ? chunk : kind.join([before, chunk]);
    const offset = this.#length - (before === undefined ? 0 : kind.lengthOf(before));
    this.#checkRecords(seen, offset);
    const end = this.#lastEnd(seen);
    this.#parts.push(chunk);
    this.#length += length;
    if (end !== -1) this.#end = offset + end;
    if (this.#length - this.#end > this.#maxRecord) this.#throwTooLong();
    if (this.#length >= this.#blockSize && this.#end > 0) return this.#take(this.#end);
  }

  takeRest(isEnd: boolean): Block | undefined {
    if (isEnd) return this.#length > 0 ? this.#take(this.#length) : undefined;
    if (this.#end > 0) return this.#take(this.#end);
  }

  learn(): void {}

  /** The end of what came before, as far as a delimiter may begin in it. */
  #tail(): T | undefined {
    const want = Math.min(this.#delimiterLength - 1, this.#length - this.#end);
    if (want <= 0) return undefined;
    const kind = this.#kind;
    const parts: T[] = [];
    let left = want;
    for (let index = this.#parts.length - 1; left > 0; index--) {
      const part = this.#parts[index]!;
      const length = kind.lengthOf(part);
      const taken = kind.slice(part, Math.max(0, length - left));
      parts.unshift(taken);
      left -= kind.lengthOf(taken);
    }
    return parts.length === 1 ? parts[0] : kind.join(parts);
  }

  /** Throws if the record that `seen` ends was too long before its end came. */
  #checkRecords(seen: T, offset: number): void {
    if (this.#length + this.#kind.lengthOf(seen) - this.#end <= this.#maxRecord) return;
    let begun = this.#end;
    let at = this.#kind.first(seen, 0);
    while (at !== -1) {
      if (offset + at - begun > this.#maxRecord) this.#throwTooLong();
      begun = offset + at + this.#delimiterLength;
      at = this.#kind.first(seen, at + this.#delimiterLength);
    }
  }

  /** Where the last delimiter ends, read from the front: `\n\n` in three line feeds is the first two. */
  #lastEnd(seen: T): number {
    const kind = this.#kind;
    const size = this.#delimiterLength;
    if (size === 1) return kind.last(seen) + 1 || -1;
    let end = -1;
    for (let at = kind.first(seen, 0); at !== -1; at = kind.first(seen, end)) end = at + size;
    return end;
  }

  #throwTooLong(): never {
    throw new RangeError(
      `Cannot cut into blocks: a record is longer than maxRecordBytes, ${this.#maxRecord}`,
    );
  }

  #take(end: number): Block {
    const kind = this.#kind;
    const taken: T[] = [];
    const left: T[] = [];
    let at = 0;
    for (const part of this.#parts) {
      const length = kind.lengthOf(part);
      if (at + length <= end) taken.push(part);
      else if (at >= end) left.push(part);
      else {
        taken.push(kind.slice(part, 0, end - at));
        left.push(kind.slice(part, end - at));
      }
      at += length;
    }
    let joined = kind.join(taken);
    // A stage takes a mark at the beginning of its stream for none of the text; only the first block's is one.
    if (!this.#isFirst && kind.startsWithMark(joined)) joined = kind.join([kind.mark, joined]);
    this.#isFirst = false;
    this.#parts = left;
    this.#length -= end;
    this.#end = 0;
    return { chunks: [joined], size: 0 };
  }
}

/** Cuts bytes or text, whichever the first chunk is, behind `delimiter`. */
export class DelimiterCutter implements Cutter {
  readonly #make: (isText: boolean) => Cutter;
  #cutter: Cutter | undefined;
  #isText = false;

  constructor(delimiter: string, blockSize: number, maxRecord: number) {
    const { length } = new TextEncoder().encode(delimiter);
    this.#make = (isText) =>
      isText
        ? new RecordCutter(ofText(delimiter), delimiter.length, blockSize, maxRecord)
        : new RecordCutter(ofBytes(delimiter), length, blockSize, maxRecord);
  }

  add(chunk: unknown): Block | undefined {
    const isText = typeof chunk === "string";
    if (!isText && !isBytes(chunk)) {
      throwTypeError("cut into blocks", "chunk", "a string or a Uint8Array", chunk);
    }
    if (this.#cutter !== undefined && isText !== this.#isText) {
      throw new TypeError("Cannot cut into blocks: chunks must be all strings or all Uint8Arrays");
    }
    this.#isText = isText;
    this.#cutter ??= this.#make(isText);
    return this.#cutter.add(chunk);
  }

  takeRest(isEnd: boolean): Block | undefined {
    return this.#cutter?.takeRest(isEnd);
  }

  learn(): void {}
}
