import { Buffer } from "node:buffer";
import { isFormula } from "../../../src/formats/csv_fields.ts";
import type { Piece } from "../source.ts";
import {
  copyChanges,
  type CopyMarks,
  finishTime,
  isDigit,
  isTime,
  putBoolean,
  type TextMarks,
} from "./copy_values.ts";

const backslash = 92;
const blank = 32;
const doubleQuote = 34;
const minus = 45;
const nought = 48;
const point = 46;
const letterU = 117;
const letterA = 97;

/** Bytes by which a row may grow at most besides those of its texts: two quotes, and `false` for `f` or `-0.0` for `-0`. */
function mostFieldGrowth({ names, nullText }: TextMarks): number {
  return names.reduce((sum, { length }) => sum + length + nullText.length + 6, 0);
}

/** Bytes by which its texts may grow at most, whatever is in them; those of a large row are counted. */
function mostTextGrowth(row: Uint8Array, from: number, to: number, marks: TextMarks) {
  const { escapes, isJson } = marks;
  const most = isJson ? 5 : 1;
  if (to - from <= 4_096) return most * (to - from);
  let growth = 0;
  for (let at = from; at < to; at++) if (escapes[row[at]!] !== 0) growth += most;
  return growth;
}

function putEscaped(out: Uint8Array, end: number, byte: number, letter: number): number {
  if (letter === blank) {
    out[end] = blank;
    return end + 1;
  }
  out[end++] = backslash;
  out[end++] = letter;
  if (letter !== letterU) return end;
  const digit = byte & 15;
  out[end++] = nought;
  out[end++] = nought;
  out[end++] = nought + (byte >> 4);
  out[end++] = digit < 10 ? nought + digit : letterA + digit - 10;
  return end;
}

/**
 * Writes a row of CSV that the server made as a line of TSV or NDJSON, byte for byte as we would make it of its values.
 *
 * @returns Where the line ends in `out`, which has room for it.
 */
function copyTextLine(
  row: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  outFrom: number,
  { delimiter, quote, changes, text }: CopyMarks,
): number {
  const { names, nullText, escapes: usual, jsonEscapes, isJson } = text!;
  const { boolean, timestamp, timestamptz, number, json } = copyChanges;
  let place = from;
  let end = outFrom;
  for (let index = 0; index < names.length; index++) {
    if (index > 0) place++;
    const name = names[index]!;
    for (let at = 0; at < name.length; at++) out[end++] = name[at]!;
    const isQuoted = place < to && row[place] === quote;
    let at = isQuoted ? place + 1 : place;
    const first = at < to ? row[at]! : delimiter;
    if (!isQuoted && first === delimiter) {
      for (let letter = 0; letter < nullText.length; letter++) out[end++] = nullText[letter]!;
      place = at;
      continue;
    }
    const change = changes[index]!;
    if (change === boolean) {
      end = putBoolean(out, end, first);
      place = at + 1;
      continue;
    }
    const isNumber = change === number &&
      (isDigit(first) || first === minus && isDigit(row[at + 1]!));
    const isMarked = isJson && change !== json && !isNumber;
    const escapes = change === json ? jsonEscapes : usual;
    if (isMarked) out[end++] = doubleQuote;
    const start = end;
    for (; at < to; at++) {
      const byte = row[at]!;
      if (isQuoted) {
        if (byte === quote && (++at >= to || row[at] !== quote)) break;
      } else if (byte === delimiter) break;
      const letter = escapes[byte]!;
      if (letter === 0) out[end++] = byte;
      else end = putEscaped(out, end, byte, letter);
    }
    if (change === timestamp || change === timestamptz) {
      if (isTime(first, out[end - 1]!)) end = finishTime(out, start, end, change);
    } else if (isNumber && end - start === 2 && first === minus && out[start + 1] === nought) {
      // To some who read `-0` it is an integer, and they have no such one.
      out[end++] = point;
      out[end++] = nought;
    }
    if (isMarked) out[end++] = doubleQuote;
    place = at;
  }
  return end;
}

/** A byte order mark in UTF-8, which at the start of a file would be no part of the first text. */
const byteOrderMark = Buffer.from("\ufeff");

/** Where the field that begins at `from` ends. */
function endOfField(row: Buffer, from: number, { delimiter, quote }: CopyMarks): number {
  let at = from;
  if (row[at] === quote) {
    do at = row.indexOf(quote, at + 1) + 1; while (row[at] === quote);
  }
  const end = row.indexOf(delimiter, at);
  return end < 0 ? row.length : end;
}

/** A field without the quotes around it. */
function unquote(field: Buffer, { quote }: CopyMarks): Buffer {
  if (field[0] !== quote) return field;
  const bytes = field.subarray(1, -1);
  return Buffer.from(bytes.filter((byte, at) => byte !== quote || !isSecond(bytes, at)));
}

/** Whether an odd number of quotes stands before this one: of two that stand for one, it is the second. */
function isSecond(bytes: Buffer, at: number): boolean {
  const quote = bytes[at];
  let count = 0;
  while (bytes[at - 1 - count] === quote) count++;
  return count % 2 === 1;
}

const apostrophe = 39;
const plus = 43;
const equals = 61;
const commercialAt = 64;
const letterI = 73;
const tilde = 126;
const [yes, no] = [116, 102];

/** What writes rows takes longer texts in windows, and judges by the first. */
const windowLimits = { from: 65_536, length: 32_768 };

/** Bytes by which a line may grow for each of its fields: an apostrophe, two quotes, a boolean. */
const mostGrowth = 5;

/** Whether a field begins with what a spreadsheet would run; most show by their first byte that they do not. */
function isFormulaAt(
  row: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
  first: number,
  marks: CopyMarks,
): boolean {
  if (first === equals || first === plus || first === minus || first === commercialAt) return true;
  if (first > blank && first <= tilde) return false;
  const rest = row.subarray(from, to);
  const text = unquote(rest.subarray(0, endOfField(rest, 0, marks)), marks).toString();
  return isFormula(text.length > windowLimits.from ? text.slice(0, windowLimits.length) : text);
}

function isMarkAt(row: Buffer, from: number): boolean {
  return row[from] === byteOrderMark[0] && row[from + 1] === byteOrderMark[1] &&
    row[from + 2] === byteOrderMark[2];
}

/**
 * Writes a row of CSV that the server made as the line that we would make, byte for byte: it is the innermost loop of
 * an export.
 *
 * @returns Where the line ends in `out`, which has room for it.
 */
function copyCsvLine(
  row: Buffer,
  from: number,
  to: number,
  out: Uint8Array,
  outFrom: number,
  marks: CopyMarks,
): number {
  const { delimiter, quote } = marks;
  const { changes } = marks;
  const { boolean, timestamp, formula, infinite } = copyChanges;
  // Two in one statement, as an array, cost JavaScriptCore six times the time of the whole loop.
  let place = from;
  let end = outFrom;
  for (let index = 0; index < changes.length; index++) {
    if (index > 0) {
      out[end++] = delimiter;
      place++;
    }
    const change = changes[index]!;
    const kind = change & 3;
    const isQuoted = place < to && row[place] === quote;
    let at = isQuoted ? place + 1 : place;
    const first = at < to ? row[at]! : delimiter;
    const isEmpty = at >= to || (!isQuoted && first === delimiter);
    const isEscaped = change >= formula && !isEmpty &&
      ((change & formula) !== 0 && isFormulaAt(row, { from: place, to }, first, marks) ||
        (change & infinite) !== 0 && first === minus && row[at + 1] === letterI);
    const isMarked = !isQuoted && !isEscaped && isMarkAt(row, at);
    if (isQuoted || isMarked) out[end++] = quote;
    if (isEscaped) out[end++] = apostrophe;
    const start = end;
    if (kind === boolean && (first === yes || first === no) && !isEmpty) {
      end = putBoolean(out, end, first);
      at++;
      if (isQuoted) at++;
    } else if (isQuoted) {
      while (at < to) {
        const byte = row[at++]!;
        if (byte === quote) {
          if (at >= to || row[at] !== quote) break;
          out[end++] = quote;
          at++;
        }
        out[end++] = byte;
      }
    } else {
      for (let byte: number; at < to && (byte = row[at]!) !== delimiter; at++) out[end++] = byte;
    }
    if (kind >= timestamp && isTime(first, out[end - 1]!)) end = finishTime(out, start, end, kind);
    if (isQuoted || isMarked) out[end++] = quote;
    place = at;
  }
  return end;
}

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
