import { trimBlanks } from "./trim_blanks.ts";

/** The bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The digits of `text`, without zeros in front; `undefined` if it has anything else. */
function digitsOf(text: string): string | undefined {
  if (/[^0-9]/.test(text)) return undefined;
  const start = text.search(/[1-9]/);
  return start === -1 ? "" : text.slice(start);
}

/** Whether a number is less than another, both of digits; a client may write more than a `number` holds. */
function isLess(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** More ranges than that are no honest client's. */
const mostRanges = 16;

/** Reads one range; `undefined` if it is none, or of no bytes that a `Content-Range` could name. */
function parseOne(range: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const dash = range.indexOf("-");
  if (dash === -1 || range === "-") return undefined;
  const first = digitsOf(range.slice(0, dash));
  const last = digitsOf(range.slice(dash + 1));
  if (first === undefined || last === undefined) return undefined;

  // All of an empty file, from its beginning or its end, is what no Content-Range can say.
  if (dash === 0) {
    const length = Number(last);
    if (length === 0) return "unsatisfiable";
    if (size === 0) return undefined;
    return { start: Math.max(0, size - length), end: size };
  }
  const isOpen = dash === range.length - 1;
  if (!isOpen && isLess(last, first)) return undefined;
  // Beyond what a number holds exactly lies no file's end.
  const start = Number(first);
  if (size === 0 && start === 0) return undefined;
  if (start >= size) return "unsatisfiable";
  return { start, end: isOpen ? size : Math.min(size, Number(last) + 1) };
}

/** Adds a range to others, joined with those that it overlaps or touches, where the first of them was. */
function join(ranges: readonly ByteRange[], added: ByteRange): ByteRange[] {
  const touches = ({ start, end }: ByteRange) => start <= added.end && added.start <= end;
  const touched = ranges.filter(touches);
  if (touched.length === 0) return [...ranges, added];
  const start = Math.min(added.start, ...touched.map((range) => range.start));
  const end = Math.max(added.end, ...touched.map((range) => range.end));
  return ranges.flatMap((range) => {
    if (range === touched[0]) return [{ start, end }];
    return touches(range) ? [] : [range];
  });
}

/**
 * Reads a `Range` header for a file of `size` bytes: the ranges in the client's order, none of which overlap or touch.
 * `undefined` means "answer as if there were none": another unit, bad syntax, or more than 16 ranges.
 */
export function parseRange(
  header: string,
  size: number,
): readonly ByteRange[] | "unsatisfiable" | undefined {
  if (header.slice(0, 6).toLowerCase() !== "bytes=") return undefined;
  // An empty element of a list stands for nothing.
  const texts = header.slice(6).split(",").map(trimBlanks).filter((text) => text !== "");
  if (texts.length === 0 || texts.length > mostRanges) return undefined;
  let ranges: ByteRange[] = [];
  for (const text of texts) {
    const range = parseOne(text, size);
    if (range === undefined) return undefined;
    // Of several, those outside the file are left out.
    if (range !== "unsatisfiable") ranges = join(ranges, range);
  }
  return ranges.length === 0 ? "unsatisfiable" : ranges;
}
