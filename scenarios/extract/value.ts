import { isUtf8 } from "node:buffer";

const minuteMs = 60_000;
let lastMinute = NaN;
let lastPrefix = "";

/** A time as `toISOString` gives it; the next one is mostly of the same minute, which is then kept. */
export function isoTime(timeMs: number): string {
  const minute = Math.floor(timeMs / minuteMs);
  if (minute !== lastMinute) {
    lastPrefix = new Date(timeMs).toISOString().slice(0, -"00.000Z".length);
    lastMinute = minute;
  }
  // The one in front keeps the zeros.
  const digits = String(100_000 + timeMs - minute * minuteMs);
  return `${lastPrefix}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}

/** About how much memory a value takes, in bytes. */
export function valueBytes(value: Value): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof TextBytes) return value.bytes.length;
  if (value instanceof JsonText) return value.text.length;
  return 8;
}

/** The length from which texts stay bytes: a string would be a second copy, and its quoted form a third. */
const leastBytes = 1_048_576;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A large text, as its UTF-8. */
export class TextBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** A text of UTF-8, large or small; `undefined` if it is none. */
  static read(bytes: Uint8Array): string | TextBytes | undefined {
    if (bytes.length >= leastBytes) return isUtf8(bytes) ? new TextBytes(bytes) : undefined;
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

/** JSON as the source has it: a number with all its digits, an array or an object. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as sources give it: `undefined` is a field that is not there, bytes are binary. */
export type Value =
  | null
  | undefined
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | JsonText
  | TextBytes;
