import type { Buffer } from "node:buffer";
import { isFormula } from "../../../src/formats/is_formula.ts";
import { byteOrderMark, endOfField, unquote } from "./copy_fields.ts";
import { copyChanges, type CopyMarks } from "./copy_marks.ts";
import { finishTime, isTime, putBoolean } from "./copy_values.ts";

const apostrophe = 39;
const blank = 32;
const plus = 43;
const minus = 45;
const equals = 61;
const commercialAt = 64;
const letterI = 73;
const tilde = 126;
const [yes, no] = [116, 102];

/** What writes rows takes longer texts in windows, and judges by the first. */
const windowLimits = { from: 65_536, length: 32_768 };

/** Bytes by which a line may grow for each of its fields: an apostrophe, two quotes, a boolean. */
export const mostGrowth = 5;

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
export function copyCsvLine(
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
