import { throwTypeError } from "../errors.ts";

function checkMark(action: string, name: string, mark: unknown, mayBeNone: boolean): void {
  const need = mayBeNone ? "one character or none" : "one character";
  if (typeof mark !== "string") throwTypeError(action, name, need, mark);
  if (mark.length === 1 ? /[\r\n\ufeff]/.test(mark) : mark !== "" || !mayBeNone) {
    throw new RangeError(
      `Cannot ${action}: ${name} must be ${need}, and no line break, got ${JSON.stringify(mark)}`,
    );
  }
}

/** Throws unless a delimiter, a quote and the mark of comments can be those of CSV, and differ. */
export function checkCsvMarks(
  action: string,
  delimiter: unknown,
  quote: unknown,
  mayBeUnquoted = true,
  comment: unknown = "",
): void {
  checkMark(action, "delimiter", delimiter, false);
  checkMark(action, "quote", quote, mayBeUnquoted);
  checkMark(action, "comment", comment, true);
  if (delimiter === quote) {
    throw new RangeError(
      `Cannot ${action}: delimiter and quote must differ, got ${JSON.stringify(quote)}`,
    );
  }
  if (comment !== "" && (comment === delimiter || comment === quote)) {
    throw new RangeError(
      `Cannot ${action}: comment must differ from delimiter and quote, got ${
        JSON.stringify(comment)
      }`,
    );
  }
}
