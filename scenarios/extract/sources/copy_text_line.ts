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
export function mostFieldGrowth({ names, nullText }: TextMarks): number {
  return names.reduce((sum, { length }) => sum + length + nullText.length + 6, 0);
}

/** Bytes by which its texts may grow at most, whatever is in them; those of a large row are counted. */
export function mostTextGrowth(row: Uint8Array, from: number, to: number, marks: TextMarks) {
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
export function copyTextLine(
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
