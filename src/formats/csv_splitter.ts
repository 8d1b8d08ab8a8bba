import type { Decoding } from "../byte_decoder.ts";
import type { Splitter } from "../kernels/split_in_turns.ts";
import { TextInput } from "../text_input.ts";

/** Where a field is cut, how long it may be, and what is let pass. */
export interface CsvSyntax {
  /** One code unit. */
  readonly delimiter: string;
  /** One code unit, or none. */
  readonly quote: string;
  /** One code unit, with which a line begins that is left out; none, or `undefined`. */
  readonly comment?: string | undefined;
  /** Whether blanks around fields are left out. */
  readonly trims?: boolean | undefined;
  readonly maxFieldLength: number;
  readonly maxRowLength: number;
  /** Default: UTF-8, and what is none becomes U+FFFD. */
  readonly decoding?: Decoding | undefined;
}

/** What becomes of the rows. */
export interface CsvRowTaker {
  /** Takes a row; `quoted` says which of its fields were, and is the splitter's again afterwards. */
  add(fields: string[], line: number, quoted: readonly number[]): void;
  /** Is informed of what is no CSV, and may throw. */
  report(line: number, column: number, message: string): void;
}

const lineFeed = 10;

const none: readonly number[] = [];

const FIELD_START = 0, UNQUOTED = 1, QUOTED = 2, AFTER_QUOTE = 3, COMMENT = 4;

/** Splits one stream's text into rows; holds the row that has not ended yet. */
export class CsvSplitter implements Splitter<string | Uint8Array, unknown> {
  readonly #rows: CsvRowTaker;
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #comment: string | undefined;
  /** What is left out around fields. */
  readonly #blanks: string;
  readonly #maxFieldLength: number;
  readonly #maxRowLength: number;
  readonly #input: TextInput;
  #text = "";
  #at = 0;
  /** Where the next of each is in the text, or where it was; `Infinity`: nowhere. */
  #feedAt = -1;
  #returnAt = -1;
  #quoteAt = -1;
  #delimiterAt = -1;
  #state: 0 | 1 | 2 | 3 | 4 = FIELD_START;
  /** Whether the last row ended at a `\r`, of which a `\n` is part. */
  #isAfterReturn = false;
  /** Which of the row's fields were quoted: a row with one is not blank. */
  readonly #quoted: number[] = [];
  /** What there is of the row, and of the field that has not ended. */
  #fields: string[] = [];
  #field = "";
  /** Blanks after a closing quote, which are the field's only if it goes on. */
  #pending = "";
  #line = 1;
  /** The line that the row begins in. */
  #rowLine = 1;
  /** Offsets in the whole stream: of the text, of the row, of the line, of the quote that opened a field. */
  #textOffset = 0;
  #rowOffset = 0;
  #lineOffset = 0;
  #openedLine = 1;
  #openedColumn = 1;

  constructor(rows: CsvRowTaker, syntax: CsvSyntax) {
    this.#rows = rows;
    const { decoding } = syntax;
    const place = () => `line ${this.#line}: `;
    this.#input = new TextInput("parse CSV", decoding && { decoding, place });
    this.#delimiter = syntax.delimiter;
    this.#quote = syntax.quote;
    this.#comment = syntax.comment === "" ? undefined : syntax.comment;
    const marks = [this.#delimiter, this.#quote, this.#comment];
    this.#blanks = syntax.trims ? [" ", "\t"].filter((one) => !marks.includes(one)).join("") : "";
    this.#maxFieldLength = syntax.maxFieldLength;
    this.#maxRowLength = syntax.maxRowLength;
  }

  /** Takes a chunk; `step` gives the rows that end in it, and holds what follows them. */
  take(chunk: string | Uint8Array): void {
    this.#input.take(chunk);
  }

  step(limit: number): boolean {
    let left = limit;
    while (this.#at < this.#text.length || this.#readMore()) {
      left = this.#split(left);
      if (left === 0) return true;
    }
    return false;
  }

  keep(): void {
    this.#input.keep();
  }

  /** Gives the last row, which need not end. */
  finish(): void {
    this.#setText(this.#input.finish());
    this.#split(Infinity);
    if (this.#state === QUOTED) {
      this.#rows.report(this.#openedLine, this.#openedColumn, "a quoted field does not end");
    } else if (
      this.#state === COMMENT || this.#state === FIELD_START && this.#fields.length === 0
    ) {
      return;
    }
    this.#endRow();
  }

  #readMore(): boolean {
    const text = this.#input.read();
    this.#setText(text);
    return text !== "";
  }

  #setText(text: string): void {
    this.#textOffset += this.#text.length;
    this.#text = text;
    this.#at = 0;
    this.#feedAt =
      this.#returnAt =
      this.#quoteAt =
      this.#delimiterAt =
        -1;
  }

  /** Where the next feed is from `at` on. Each is looked for once, so that no text is read again for each row. */
  #findFeed(at: number): number {
    if (this.#feedAt < at) this.#feedAt = this.#find("\n", at);
    return this.#feedAt;
  }

  #findReturn(at: number): number {
    if (this.#returnAt < at) this.#returnAt = this.#find("\r", at);
    return this.#returnAt;
  }

  #findDelimiter(at: number): number {
    if (this.#delimiterAt < at) this.#delimiterAt = this.#find(this.#delimiter, at);
    return this.#delimiterAt;
  }

  #findQuote(at: number): number {
    if (this.#quoteAt < at) this.#quoteAt = this.#find(this.#quote, at);
    return this.#quoteAt;
  }

  #find(mark: string, at: number): number {
    const found = mark === "" ? -1 : this.#text.indexOf(mark, at);
    return found === -1 ? Infinity : found;
  }

  /** Splits what there is of the text, as far as `limit` rows; tells how many are left of them. */
  #split(limit: number): number {
    const text = this.#text;
    let left = limit;
    while (this.#at < text.length && left > 0) {
      if (this.#state === COMMENT) {
        if (this.#skipComment()) left--;
        continue;
      }
      if (this.#state === FIELD_START && this.#fields.length === 0) {
        if (this.#isAfterReturn) {
          this.#isAfterReturn = false;
          if (text.charCodeAt(this.#at) === lineFeed) {
            this.#at++;
            this.#startRow();
            continue;
          }
        }
        if (this.#blanks !== "" && this.#blanks.includes(text[this.#at]!)) {
          this.#at = this.#skipBlanks(this.#at);
          this.#checkLengths(0, this.#rowLengthAt(this.#at));
          continue;
        }
        if (text[this.#at] === this.#comment) {
          this.#state = COMMENT;
          continue;
        }
        const start = this.#at;
        const feed = this.#findFeed(start);
        if (feed !== Infinity && this.#findQuote(start) > feed) {
          const back = this.#findReturn(start);
          if (back >= feed - 1) {
            this.#takeLine(start, back < feed ? back : feed);
            this.#at = feed + 1;
            this.#line++;
            this.#startRow();
            left--;
            continue;
          }
        }
      }
      if (this.#goOn()) left--;
    }
    return left;
  }

  /** Gives the row of a line that has no quote. */
  #takeLine(start: number, end: number): void {
    const length = this.#rowLengthAt(end);
    if (end === start) return;
    const fields = this.#text.slice(start, end).split(this.#delimiter);
    if (length > this.#maxFieldLength || length > this.#maxRowLength) {
      let rowLength = this.#rowLengthAt(start);
      for (const field of fields) {
        const blanks = this.#countBlanks(field, 0);
        this.#checkLengths(field.length - blanks, rowLength + field.length);
        rowLength += field.length + 1;
      }
      this.#checkLengths(0, length);
    }
    const trims = this.#blanks !== "";
    this.#rows.add(trims ? fields.map((field) => this.#trim(field)) : fields, this.#line, none);
  }

  /** Goes on within a comment; tells whether it has ended. */
  #skipComment(): boolean {
    const { length } = this.#text;
    const end = Math.min(this.#findFeed(this.#at), this.#findReturn(this.#at), length);
    this.#at = end;
    if (end === length) return false;
    this.#isAfterReturn = end === this.#findReturn(end);
    this.#at++;
    this.#line++;
    this.#state = FIELD_START;
    this.#startRow();
    return true;
  }

  #skipBlanks(at: number): number {
    return at + this.#countBlanks(this.#text, at);
  }

  #countBlanks(text: string, start: number): number {
    let at = start;
    while (at < text.length && this.#blanks.includes(text[at]!)) at++;
    return at - start;
  }

  #trim(field: string): string {
    const start = this.#countBlanks(field, 0);
    let end = field.length;
    while (end > start && this.#blanks.includes(field[end - 1]!)) end--;
    return field.slice(start, end);
  }

  /** Goes on within a row; tells whether it has ended. */
  #goOn(): boolean {
    const text = this.#text;
    const length = text.length;
    let at = this.#at;
    while (at < length) {
      if (this.#state === QUOTED) {
        const end = this.#addQuoted(at);
        for (let feed = this.#findFeed(at); feed < end; feed = this.#findFeed(feed + 1)) {
          this.#line++;
          this.#lineOffset = this.#textOffset + feed + 1;
        }
        at = end + 1;
        if (end < length) this.#state = AFTER_QUOTE;
        continue;
      }
      if (this.#blanks !== "" && this.#state !== UNQUOTED) {
        const start = at;
        at = this.#skipBlanks(at);
        if (this.#state === AFTER_QUOTE) this.#pending += text.slice(start, at);
        if (at === length) break;
      }
      if (this.#state !== UNQUOTED && this.#pending === "" && this.#findQuote(at) === at) {
        if (this.#state === AFTER_QUOTE) {
          this.#addText(at, at + 1);
        } else {
          this.#openedLine = this.#line;
          this.#openedColumn = this.#columnOf(at);
          this.#quoted.push(this.#fields.length);
        }
        this.#state = QUOTED;
        at++;
        continue;
      }
      const delimiter = this.#findDelimiter(at);
      const end = Math.min(delimiter, this.#findFeed(at), this.#findReturn(at), length);
      if (end > at) {
        if (this.#state === AFTER_QUOTE) {
          this.#report(at, "a quoted field goes on after its closing quote");
          this.#requote();
        }
        this.#addText(at, end);
        this.#state = UNQUOTED;
      }
      if (end === length) break;
      this.#checkLengths(0, this.#rowLengthAt(end));
      at = end + 1;
      if (end !== delimiter) {
        this.#isAfterReturn = end === this.#findReturn(end);
        this.#at = at;
        this.#endRow();
        return true;
      }
      this.#endField();
    }
    this.#at = length;
    this.#checkLengths(0, this.#rowLengthAt(length));
    return false;
  }

  /** Whether the row has been reported already. */
  #hasReported = false;

  /** Reports one thing a row. */
  #report(at: number, message: string): void {
    if (this.#hasReported) return;
    this.#checkLengths(0, this.#rowLengthAt(at));
    this.#hasReported = true;
    this.#rows.report(this.#line, this.#columnOf(at), message);
  }

  #columnOf(at: number): number {
    return this.#textOffset + at - this.#lineOffset + 1;
  }

  /** Takes a field that goes on after its closing quote for what is there: its quotes too. */
  #requote(): void {
    const quote = this.#quote;
    this.#field = quote + this.#field.split(quote).join(quote + quote) + quote + this.#pending;
    this.#pending = "";
  }

  /** Adds what there is of a quoted field, with one quote for each that is doubled; gives where it ends. */
  #addQuoted(start: number): number {
    const text = this.#text;
    let end = this.#findQuote(start);
    let doubled = 0;
    while (end + 1 < text.length && text[end + 1] === this.#quote) {
      doubled++;
      end = this.#findQuote(end + 2);
    }
    end = Math.min(end, text.length);
    if (doubled === 0) {
      this.#addText(start, end);
      return end;
    }
    const length = this.#field.length + end - start - doubled;
    if (length > this.#maxFieldLength || this.#rowLengthAt(end) > this.#maxRowLength) {
      this.#failWithin(start, end);
    }
    // One text for all: one made longer for each quote would take a hundred times the memory.
    this.#field += text.slice(start, end).split(this.#quote + this.#quote).join(this.#quote);
    return end;
  }

  /** Fails where the first limit is exceeded, wherever the text is cut. */
  #failWithin(start: number, end: number): void {
    let length = this.#field.length;
    for (let at = start; at < end; at++) {
      const found = this.#text.indexOf(this.#quote, at);
      const quote = found === -1 ? end : Math.min(found, end);
      length += quote - at;
      this.#checkLengths(length, this.#rowLengthAt(quote));
      if (quote === end) return;
      at = quote + 1;
      this.#checkLengths(++length, this.#rowLengthAt(at + 1));
    }
  }

  #addText(start: number, end: number): void {
    if (end === start) return;
    this.#field += this.#text.slice(start, end);
    this.#checkLengths(this.#field.length, this.#rowLengthAt(end));
  }

  #endField(): void {
    const isTrimmed = this.#blanks !== "" && this.#state === UNQUOTED;
    this.#fields.push(isTrimmed ? this.#trim(this.#field) : this.#field);
    this.#field = this.#pending = "";
    this.#state = FIELD_START;
  }

  #endRow(): void {
    this.#endField();
    const fields = this.#fields;
    const isBlank = fields.length === 1 && fields[0] === "" && this.#quoted.length === 0;
    this.#fields = [];
    this.#hasReported = false;
    const line = this.#rowLine;
    this.#line++;
    this.#startRow();
    if (!isBlank) this.#rows.add(fields, line, this.#quoted);
    this.#quoted.length = 0;
  }

  #startRow(): void {
    this.#rowLine = this.#line;
    this.#rowOffset = this.#lineOffset = this.#textOffset + this.#at;
  }

  #rowLengthAt(at: number): number {
    return this.#textOffset + at - this.#rowOffset;
  }

  /** Fails with the limit that was exceeded first, so that it does not matter where the text is cut. */
  #checkLengths(fieldLength: number, rowLength: number): void {
    const field = fieldLength - this.#maxFieldLength;
    const row = rowLength - this.#maxRowLength;
    if (field <= 0 && row <= 0) return;
    const [what, limit] = field >= row
      ? ["a field is longer than maxFieldLength", this.#maxFieldLength]
      : ["a row is longer than maxRowLength", this.#maxRowLength];
    throw new RangeError(`Cannot parse CSV: line ${this.#rowLine}: ${what} ${limit}`);
  }
}
