import { copyChanges } from "./copy_marks.ts";

const blank = 32;
const nought = 48;
const nine = 57;
const letterC = 67;
const letterT = 84;
const letterZ = 90;
const letterOfTrue = 116;
const words = { yes: [116, 114, 117, 101], no: [102, 97, 108, 115, 101] };

/** Whether a byte is a digit. */
export function isDigit(byte: number): boolean {
  return byte >= nought && byte <= nine;
}

/** Writes the boolean that the server calls `t` or `f`; returns where it ends. */
export function putBoolean(out: Uint8Array, from: number, letter: number): number {
  const word = letter === letterOfTrue ? words.yes : words.no;
  for (let index = 0; index < word.length; index++) out[from + index] = word[index]!;
  return from + word.length;
}

/** Whether a time is one that ISO 8601 has a form for: neither infinite nor before Christ. */
export function isTime(first: number, last: number): boolean {
  return isDigit(first) && last !== letterC;
}

/** Makes the time that stands in `out` what ISO 8601 has; returns where it ends. */
export function finishTime(out: Uint8Array, start: number, end: number, change: number): number {
  for (let index = start; index < end; index++) {
    if (out[index] !== blank) continue;
    out[index] = letterT;
    break;
  }
  if (change !== copyChanges.timestamptz) return end;
  // The zone of the session is UTC.
  out[end - 3] = letterZ;
  return end - 2;
}
