import { Buffer } from "node:buffer";
import type { Piece } from "../piece.ts";
import { copyCsvLine, mostGrowth } from "./copy_csv_line.ts";
import { endOfField, unquote } from "./copy_fields.ts";
import type { CopyMarks } from "./copy_marks.ts";
import { copyTextLine, mostFieldGrowth, mostTextGrowth } from "./copy_text_line.ts";

/** Bytes of a piece at most; a row that is larger is one by itself. */
const mostPieceBytes = 131_072;
/** Room for the rest of a row of usual size. */
const leastSpare = 4_096;
const lineBreak = 10;
const bracket = 91;

/** What becomes of rows. */
export interface CopiedRowEvents {
  onRow(): void;
  /** Called with what the first field of a row says that cannot be exported. */
  onBadRow(told: string): void;
}

/** How rows are made lines. */
export interface CopiedRowOptions extends CopiedRowEvents {
  readonly marks: CopyMarks;
  /**
   * Whether the first field of each row is for us alone: where the row lies in the span that is read, or in brackets
   * what is wrong with it.
   */
  readonly isHeaded: boolean;
  /** Which field says where a row lies, if no first field does. */
  readonly placeIndex: number | undefined;
  /** Which fields are the key that each piece says of its last row; none: it says none. */
  readonly keyIndexes: readonly number[];
  /** Bytes from which on a piece is given. Default: 128 KiB, which is also the most. */
  readonly pieceBytes?: number | undefined;
}

/** Makes lines of rows as COPY gives them, and gathers them in pieces. */
export class CopiedRows {
  readonly #options: CopiedRowOptions;
  readonly #lineEnd: Buffer;
  /** Bytes by which a row may grow, whatever is in it. */
  readonly #growth: number;
  readonly #pieceBytes: number;
  readonly #bufferBytes: number;
  /** Those that were written already. */
  readonly #free: Buffer<ArrayBuffer>[] = [];
  #pieces: Piece[] = [];
  #bytes = 0;
  #buffer: Buffer<ArrayBuffer>;
  #length = 0;
  #rows = 0;
  /** Where the last row begins, and what its first field said. */
  #last: { start: number; at: number | undefined } = { start: 0, at: undefined };
  /** Rows that came, whatever became of them. */
  count = 0;

  constructor(options: CopiedRowOptions) {
    this.#options = options;
    this.#pieceBytes = Math.min(mostPieceBytes, options.pieceBytes ?? mostPieceBytes);
    this.#bufferBytes = Math.min(mostPieceBytes, this.#pieceBytes + leastSpare);
    this.#buffer = Buffer.allocUnsafe(this.#bufferBytes);
    const { lineEnd, text, changes } = options.marks;
    this.#lineEnd = Buffer.from(lineEnd);
    this.#growth = this.#lineEnd.length +
      (text === undefined ? changes.length * mostGrowth : mostFieldGrowth(text));
  }

  /** Bytes that no one has taken yet. */
  get bytes(): number {
    return this.#bytes + this.#length;
  }

  /** Takes the row that begins at `from` and ends before `to`. */
  add(row: Buffer, from: number, to: number): void {
    const { isHeaded, marks } = this.#options;
    this.count++;
    this.#options.onRow();
    if (row[to - 1] === lineBreak) to--;
    if (isHeaded) {
      const end = endOfField(row.subarray(0, to), from, marks);
      if (row[from] === bracket || (row[from] === marks.quote && row[from + 1] === bracket)) {
        return this.#options.onBadRow(unquote(row.subarray(from, end), marks).toString());
      }
      const place = Number(unquote(row.subarray(from, end), marks).toString());
      this.#add(row, end + 1, to, place);
    } else this.#add(row, from, to, undefined);
  }

  /** Gives what is there, however little. */
  take(): readonly Piece[] {
    this.#endPiece();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    return pieces;
  }

  #add(row: Buffer, from: number, to: number, at: number | undefined): void {
    const { marks } = this.#options;
    const { text } = marks;
    const textGrowth = text === undefined ? 0 : mostTextGrowth(row, from, to, text);
    const most = to - from + textGrowth + this.#growth;
    if (this.#length + most > this.#buffer.length) {
      this.#endPiece();
      if (most > this.#bufferBytes) this.#buffer = Buffer.allocUnsafe(most);
    }
    this.#last = { start: this.#length, at };
    const copyLine = text === undefined ? copyCsvLine : copyTextLine;
    this.#length = copyLine(row, from, to, this.#buffer, this.#length, marks);
    for (let index = 0; index < this.#lineEnd.length; index++) {
      this.#buffer[this.#length++] = this.#lineEnd[index]!;
    }
    this.#rows++;
    if (this.#length >= this.#pieceBytes) this.#endPiece();
  }

  #endPiece(): void {
    if (this.#rows === 0) return;
    const buffer = this.#buffer;
    this.#bytes += this.#length;
    this.#pieces.push({
      ...{ text: buffer.subarray(0, this.#length), rows: this.#rows, at: this.#placeOfLast() },
      key: this.#keyOfLast(),
      release: () => {
        if (buffer.length === this.#bufferBytes) this.#free.push(buffer);
      },
    });
    this.#buffer = this.#free.pop() ?? Buffer.allocUnsafe(this.#bufferBytes);
    this.#length = this.#rows = 0;
  }

  #placeOfLast(): number | undefined {
    const { isHeaded, placeIndex } = this.#options;
    return isHeaded || placeIndex === undefined
      ? this.#last.at
      : Number(this.#fieldOfLast(placeIndex));
  }

  #keyOfLast(): readonly string[] | undefined {
    const { keyIndexes } = this.#options;
    if (keyIndexes.length === 0) return undefined;
    return keyIndexes.map((index) => this.#fieldOfLast(index));
  }

  #fieldOfLast(wanted: number): string {
    const { marks } = this.#options;
    const line = this.#buffer.subarray(this.#last.start, this.#length - this.#lineEnd.length);
    let [from, end] = [0, endOfField(line, 0, marks)];
    for (let index = 0; index < wanted; index++) {
      from = end + 1;
      end = endOfField(line, from, marks);
    }
    return unquote(line.subarray(from, end), marks).toString();
  }
}
