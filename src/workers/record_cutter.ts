import { throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { byteParts, type Parts, textParts } from "../parts.ts";

/** Input that is worked on as one stream. */
export interface Block {
  readonly chunks: readonly unknown[];
  /** How many chunks of the input it has; 0 if that is not known. */
  readonly size: number;
}

/** Cuts the input of one stream into blocks. */
export interface Cutter {
  /** Takes a chunk; answers the block that is full with it. */
  add(chunk: unknown): Block | undefined;
  /** What is left, now: at the end, or because a thread has nothing to do. */
  takeRest(isEnd: boolean): Block | undefined;
  /** Given how long a block of so many chunks took. */
  learn(size: number, busyMs: number): void;
}

const blockMs = 0.5;

/** Blocks of chunks: of `blockSize` where blocks are meant, otherwise of about 500 µs of work, at most `blockSize`. */
export class ChunkCutter implements Cutter {
  readonly #maxSize: number;
  readonly #isFixed: boolean;
  #size: number;
  #chunkMs: number | undefined;
  #chunks: unknown[] = [];

  constructor(blockSize: number, isFixed: boolean) {
    this.#maxSize = blockSize;
    this.#isFixed = isFixed;
    this.#size = isFixed ? blockSize : 1;
  }

  add(chunk: unknown): Block | undefined {
    if (this.#chunks.push(chunk) >= this.#size) return this.#take();
  }

  takeRest(isEnd: boolean): Block | undefined {
    if (this.#chunks.length > 0 && (isEnd || !this.#isFixed)) return this.#take();
  }

  learn(size: number, busyMs: number): void {
    if (this.#isFixed || size === 0) return;
    const chunkMs = busyMs / size;
    // What comes first is slow: the compiler has not seen it yet.
    this.#chunkMs = this.#chunkMs === undefined ? chunkMs : (this.#chunkMs * 3 + chunkMs) / 4;
    const wanted = Math.ceil(blockMs / this.#chunkMs);
    this.#size = Math.max(1, Math.min(this.#maxSize, wanted, this.#size * 2));
  }

  #take(): Block {
    const chunks = this.#chunks;
    this.#chunks = [];
    return { chunks, size: chunks.length };
  }
}

/** What the cutter needs of bytes or of text. */
interface Kind<T extends { readonly length: number }> extends Parts<T> {
  readonly delimiter: T;
  /** Where the last unit of a delimiter of one is; -1 if there is none. */
  last(part: T): number;
  /** A byte order mark. */
  readonly mark: T;
}

function ofText(delimiter: string): Kind<string> {
  return { ...textParts, delimiter, last: (part) => part.lastIndexOf(delimiter), mark: "\uFEFF" };
}

function ofBytes(text: string): Kind<Uint8Array> {
  const delimiter = new TextEncoder().encode(text);
  const mark = Uint8Array.of(0xEF, 0xBB, 0xBF);
  return { ...byteParts, delimiter, last: (part) => part.lastIndexOf(delimiter[0]!), mark };
}

/** Blocks of whole records: bytes or text, cut behind a delimiter. */
class RecordCutter<T extends { readonly length: number }> implements Cutter {
  readonly #kind: Kind<T>;
  readonly #blockSize: number;
  readonly #maxRecord: number;
  /** What belongs to the next block. */
  #parts: T[] = [];
  #length = 0;
  /** Where the last delimiter ends that was seen; 0 if none was. */
  #end = 0;
  #isFirst = true;

  constructor(kind: Kind<T>, blockSize: number, maxRecord: number) {
    this.#kind = kind;
    this.#blockSize = blockSize;
    this.#maxRecord = maxRecord;
  }

  add(chunk: T): Block | undefined {
    const kind = this.#kind;
    const length = chunk.length;
    if (length === 0) return undefined;
    // A delimiter may begin in what came before.
    const before = this.#tail();
    const seen = before === undefined ? chunk : kind.join([before, chunk]);
    const offset = this.#length - (before === undefined ? 0 : before.length);
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
    const kind = this.#kind;
    const want = Math.min(kind.delimiter.length - 1, this.#length - this.#end);
    if (want <= 0) return undefined;
    const parts: T[] = [];
    let left = want;
    for (let index = this.#parts.length - 1; left > 0; index--) {
      const part = this.#parts[index]!;
      const taken = kind.view(part, Math.max(0, part.length - left), part.length);
      parts.unshift(taken);
      left -= taken.length;
    }
    return parts.length === 1 ? parts[0] : kind.join(parts);
  }

  /** Throws if the record that `seen` ends was too long before its end came. */
  #checkRecords(seen: T, offset: number): void {
    if (this.#length + seen.length - this.#end <= this.#maxRecord) return;
    const { delimiter } = this.#kind;
    let begun = this.#end;
    let at = this.#kind.find(seen, delimiter, 0);
    while (at !== -1) {
      if (offset + at - begun > this.#maxRecord) this.#throwTooLong();
      begun = offset + at + delimiter.length;
      at = this.#kind.find(seen, delimiter, at + delimiter.length);
    }
  }

  /** Where the last delimiter ends, read from the front: `\n\n` in three line feeds is the first two. */
  #lastEnd(seen: T): number {
    const kind = this.#kind;
    const { delimiter } = kind;
    if (delimiter.length === 1) return kind.last(seen) + 1 || -1;
    let end = -1;
    for (let at = kind.find(seen, delimiter, 0); at !== -1; at = kind.find(seen, delimiter, end)) {
      end = at + delimiter.length;
    }
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
      const { length } = part;
      if (at + length <= end) taken.push(part);
      else if (at >= end) left.push(part);
      else {
        taken.push(kind.view(part, 0, end - at));
        left.push(kind.view(part, end - at, length));
      }
      at += length;
    }
    let joined = kind.join(taken);
    // A stage takes a mark at the beginning of its stream for none of the text; only the first block's is one.
    const { mark } = kind;
    const hasMark = kind.find(kind.view(joined, 0, mark.length), mark, 0) === 0;
    if (!this.#isFirst && hasMark) joined = kind.join([mark, joined]);
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
    this.#make = (isText) =>
      isText
        ? new RecordCutter(ofText(delimiter), blockSize, maxRecord)
        : new RecordCutter(ofBytes(delimiter), blockSize, maxRecord);
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
