const formula = /^(?:[\t\r]|[\s\p{Cc}\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/**
 * Whether a spreadsheet would run a text as a formula: it begins with one of `=`, `+`, `-`, `@` or their full-width
 * forms, after white space too, or with a tab or a carriage return.
 */
export function isFormula(text: string): boolean {
  return formula.test(text);
}

const blanks = /^[\s\p{Cc}\ufeff]*$/u;

/** Whether a spreadsheet would run a text as a formula that comes in parts; no more of them are read than tell. */
export function isFormulaInParts(parts: Iterable<string>): boolean {
  let before = "";
  for (const part of parts) {
    if (isFormula(before + part)) return true;
    if (!blanks.test(part)) return false;
    if (part !== "") before = " ";
  }
  return false;
}

/** What fields look like. */
export interface CsvFieldOptions {
  readonly delimiter: string;
  readonly quote: string;
  readonly quoteAll: boolean;
  readonly nullText: string;
  readonly escapeFormulas: boolean;
}

/** Writes the fields of CSV so that each is read as what it is. */
export class CsvFields {
  readonly #quote: string;
  readonly #quoteAll: boolean;
  readonly #escapeFormulas: boolean;
  readonly #special: RegExp;
  /** Whether a row has no other field: a blank line is no row to many who read it. */
  readonly #isAlone: boolean;
  readonly #nullText: string;
  /** What stands for no value. */
  readonly missing: string;

  /** `count` is how many fields a row has. */
  constructor(
    { delimiter, quote, quoteAll, nullText, escapeFormulas }: CsvFieldOptions,
    count: number,
  ) {
    const codes = [delimiter, quote].map((mark) =>
      `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`
    );
    this.#special = new RegExp(`[\\r\\n${codes.join("")}]`);
    if (this.#special.test(nullText)) {
      throw new RangeError(
        "Cannot write CSV: the text for NULL must have no delimiter, quote or line break, got " +
          JSON.stringify(nullText),
      );
    }
    this.#quote = quote;
    this.#quoteAll = quoteAll;
    this.#escapeFormulas = escapeFormulas;
    this.#nullText = nullText;
    this.#isAlone = count === 1;
    this.missing = nullText === "" && count === 1 ? quote + quote : nullText;
  }

  /** Writes what no spreadsheet takes for a formula, such as a number. */
  plain(text: string): string {
    // PostgreSQL 15 takes a line of `\.` for the end, and quotes it itself.
    return this.#quoteAll || text === this.#nullText || this.#special.test(text) ||
        this.#isMarked(text) || this.#isAlone && (text === "\\." || text === "")
      ? this.#quote + this.#double(text) + this.#quote
      : text;
  }

  /** Writes a text. */
  text(text: string): string {
    return this.plain(this.#escapeFormulas && isFormula(text) ? `'${text}` : text);
  }

  /** Writes a long text that comes in parts, twice the same; none of them is empty. */
  *parts(text: () => Iterable<string>): Generator<string> {
    const isDangerous = this.#escapeFormulas && isFormulaInParts(text());
    let isSpecial = this.#quoteAll;
    let isAtStart = true;
    for (const part of text()) {
      isSpecial ||= isAtStart && !isDangerous && this.#isMarked(part);
      isAtStart = false;
      isSpecial ||= this.#special.test(part);
    }
    if (isAtStart) return yield this.text("");
    if (isSpecial) yield this.#quote;
    if (isDangerous) yield "'";
    for (const part of text()) yield this.#double(part);
    if (isSpecial) yield this.#quote;
  }

  #double(text: string): string {
    return text.replaceAll(this.#quote, () => this.#quote + this.#quote);
  }

  /** At the start of a file a byte order mark is no part of the first text. */
  #isMarked(text: string): boolean {
    return text.charCodeAt(0) === 0xfeff;
  }
}
