import { Buffer } from "node:buffer";
import type { Piece } from "../piece.ts";
import { byteOrderMark, endOfField, mapFields, unquote } from "./copy_fields.ts";
import type { CopyMarks } from "./copy_marks.ts";

/** Bytes of a piece; a row that is larger is one by itself. */
const pieceBytes = 65_536;
const lineBreak = 10;
const bracket = 91;

/** What becomes of rows. */
export interface CopiedRowEvents {
  onRow(): void;
  /** Called with what the first field of a row says that cannot be exported. */
  onBadRow(told: string): void;
}

/**
 * Makes lines of rows as COPY gives them. The first field of each is for us alone: where the row lies in the span that
 * is read, or in brackets what is wrong with it.
 */
export class CopiedRows {
  readonly #marks: CopyMarks;
  readonly #events: CopiedRowEvents;
  readonly #lineEnd: Buffer;
  /** Those that were written already. */
  readonly #free: Buffer<ArrayBuffer>[] = [];
  #buffer = Buffer.allocUnsafe(pieceBytes);
  #length = 0;
  #rows = 0;
  #place: Buffer | undefined;

  constructor(marks: CopyMarks, events: CopiedRowEvents) {
    this.#marks = marks;
    this.#events = events;
    this.#lineEnd = Buffer.from(marks.lineEnd);
  }

  /** Takes rows, and gives the pieces that are full, and the rest too. */
  *add(rows: readonly Buffer[]): Generator<Piece> {
    for (const row of rows) yield* this.#addRow(row);
    if (this.#rows > 0) yield this.#piece();
  }

  *#addRow(row: Buffer): Generator<Piece> {
    const marks = this.#marks;
    const end = endOfField(row, 0, marks);
    this.#events.onRow();
    if (row[0] === bracket || (row[0] === marks.quote && row[1] === bracket)) {
      return this.#events.onBadRow(unquote(row.subarray(0, end), marks).toString());
    }
    const last = row[row.length - 1] === lineBreak ? row.length - 1 : row.length;
    const line = this.#restore(row.subarray(end + 1, last));
    const { length } = this.#lineEnd;
    if (this.#length + line.length + length > pieceBytes) {
      if (this.#rows > 0) yield this.#piece();
      if (line.length + length > pieceBytes) {
        yield { text: Buffer.concat([line, this.#lineEnd]), rows: 1, at: this.#at(row, end) };
        return;
      }
    }
    this.#buffer.set(line, this.#length);
    this.#length += line.length;
    for (let at = 0; at < length; at++) this.#buffer[this.#length++] = this.#lineEnd[at]!;
    this.#rows++;
    this.#place = row.subarray(0, end);
  }

  #restore(line: Buffer): Buffer {
    const marks = this.#marks;
    if (!marks.isQuoteKept) {
      if (line.indexOf(marks.quote) < 0) return line;
      return mapFields(line, marks, (field) => unquote(field, marks));
    }
    if (line.indexOf(byteOrderMark) < 0) return line;
    const quote = Buffer.of(marks.quote);
    return mapFields(
      line,
      marks,
      (field) =>
        field.subarray(0, byteOrderMark.length).equals(byteOrderMark)
          ? Buffer.concat([quote, field, quote])
          : field,
    );
  }

  #at(row: Buffer, end: number): number {
    return Number(unquote(row.subarray(0, end), this.#marks).toString());
  }

  #piece(): Piece {
    const buffer = this.#buffer;
    const place = this.#place!;
    const piece = {
      ...{ text: buffer.subarray(0, this.#length), rows: this.#rows },
      at: this.#at(place, place.length),
      release: () => void this.#free.push(buffer),
    };
    this.#buffer = this.#free.pop() ?? Buffer.allocUnsafe(pieceBytes);
    this.#length = this.#rows = 0;
    return piece;
  }
}
