import type { Value } from "../value.ts";
import { createFormat } from "./create_format.ts";
import { fieldPrefixes, type RowFormat } from "./dialect.ts";
import type { FormatOptions } from "./format_options.ts";
import { Buffer } from "node:buffer";

const blank = 32;
const doubleQuote = 34;
const backslash = 92;
const deleteCharacter = 127;
const firstOfMore = 128;

/** What a format does about a byte of a text: nothing, quotes around the text, or what only the format knows. */
const asItIs = 0;
const quoted = 1;
const byFormat = 2;
/** What such bytes are in JSON besides. */
const escaping = 3;
const ending = 4;

/** Characters of several bytes, among them those that formats may have rules about. */
const widerSamples = [..."\u0085\u00a0é日\u2028\ufeff＝😀"];
const escapedByJson = `${
  String.fromCharCode(...Array.from({ length: blank }, (_, code) => code))
}"\\`;

const isWider = (one: string) => one.codePointAt(0)! >= firstOfMore;

/** What a format does about the bytes of texts that JSON has. */
interface ByteRules {
  /** What stands around a text of letters alone. */
  readonly mark: number | undefined;
  /** For each byte that a text begins with. */
  readonly first: Uint8Array;
  /** For each byte, wherever it stands. */
  readonly inside: Uint8Array;
  /** What it does about a text that JSON has escapes in. */
  readonly escaped: number;
  /** How many bytes the text has that it may do more about; 0: none. */
  readonly oddLength: number;
}

/** Finds out what a format does about each byte, by asking it: one that has no text for NULL. */
function byteRules(
  format: RowFormat,
  { nullText = "", delimiter = "" }: Pick<FormatOptions, "nullText" | "delimiter">,
): ByteRules {
  const fieldOf = (text: string) => format.field(text)!;
  const isJson = fieldOf(escapedByJson) === JSON.stringify(escapedByJson);
  const letters = fieldOf("aa");
  const mark = letters === "aa" ? undefined : letters.charCodeAt(0);
  const judge = (text: string): number => {
    const made = fieldOf(text);
    const isQuoted = made === `"${text}"`;
    if (mark !== undefined) return isQuoted ? asItIs : byFormat;
    return made === text ? asItIs : isQuoted ? quoted : byFormat;
  };
  const judgeInside = (one: string) => Math.max(judge(`a${one}a`), judge(`a${one}`));
  const first = new Uint8Array(256);
  const inside = new Uint8Array(256);
  for (let code = blank; code < firstOfMore; code++) {
    const one = String.fromCharCode(code);
    inside[code] = judgeInside(one);
    // After white space or a control character there may be what is a formula.
    first[code] = !isJson && (code === blank || code === deleteCharacter)
      ? byFormat
      : Math.max(judge(one), judge(`${one}a`));
  }
  first.fill(isJson ? asItIs : byFormat, firstOfMore);
  // Bytes of one such character are those of others, too: all are treated alike, or left to the format.
  const kinds = new Set([...widerSamples, ...delimiter].filter(isWider).map(judgeInside));
  inside.fill(kinds.size === 1 ? [...kinds][0]! : byFormat, firstOfMore);
  first[doubleQuote] = first[backslash] = asItIs;
  inside[doubleQuote] = ending;
  inside[backslash] = escaping;
  return {
    ...{ mark, first, inside, escaped: isJson ? asItIs : byFormat },
    oddLength: isJson ? 0 : Buffer.byteLength(nullText),
  };
}

const comma = 44;
const minus = 45;
const nought = 48;
const nine = 57;
const openBracket = 91;
const closeBracket = 93;
const letterN = 110;
/** Most that a number has, with its sign, its point and its exponent. */
const mostNumberBytes = 32;
const mostMarks = 4;

/** Rows of which lines are made. */
export interface JsonRows {
  /** The bytes of a JSON array of arrays, without blanks. */
  readonly json: Uint8Array;
  /** Rows in it at most. */
  readonly mostRows: number;
  /** Which columns are not in it. */
  readonly isApart: readonly boolean[];
  /** The values of these, of the same rows: numbers or null. */
  readonly apart: readonly (readonly Value[])[];
}

/** Lines, in a buffer that the next ones are written to once they are released. */
export interface MadeLines {
  readonly bytes: Uint8Array;
  readonly rows: number;
  release(): void;
}

/**
 * Makes lines of rows that come as the bytes of a JSON array of arrays. What the format does about a byte is found out
 * by asking it, once; a text about which it does more than set quotes is made by the format itself.
 */
export class JsonLines {
  readonly #format: RowFormat;
  readonly #prefixes: readonly Uint8Array[];
  readonly #end: Uint8Array;
  readonly #rules: ByteRules;
  readonly #null: Uint8Array;
  readonly #empty: Uint8Array;
  readonly #rowBytes: number;
  #at = 0;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #free: Uint8Array[] = [];

  constructor(options: FormatOptions) {
    const format = this.#format = createFormat(options);
    const { titles } = options;
    this.#prefixes = fieldPrefixes(format, titles.length);
    this.#end = this.#encoder.encode(format.marks[2]);
    const fieldOf = (value: Value) => format.field(value)!;
    // A text for NULL has rules of its own, which must not be taken for those of its bytes.
    this.#rules = byteRules(createFormat({ ...options, nullText: "" }), options);
    this.#null = this.#encoder.encode(fieldOf(null));
    this.#empty = this.#encoder.encode(fieldOf(""));
    const fixed = [...this.#prefixes, this.#end].reduce((sum, { length }) => sum + length, 0);
    const mostField = Math.max(this.#null.length, this.#empty.length, mostNumberBytes) + mostMarks;
    this.#rowBytes = fixed + titles.length * mostField;
  }

  /** Makes lines of rows; `undefined`: among them is what must be read with care. */
  make({ json, mostRows, isApart, apart }: JsonRows): MadeLines | undefined {
    const out = this.#takeBuffer(json.length + mostRows * this.#rowBytes);
    const release = () => void this.#free.push(out);
    const columns = this.#prefixes.length;
    let [at, end, rows] = [1, 0, 0];
    while (json[at] !== closeBracket) {
      if (json[at] === comma) at++;
      if (json[at] !== openBracket || rows === mostRows) return void release();
      at++;
      let apartIndex = 0;
      let isFirst = true;
      for (let column = 0; column < columns; column++) {
        end = put(out, end, this.#prefixes[column]!);
        if (isApart[column] === true) {
          end = this.#putValue(out, end, apart[rows]![apartIndex++]!);
          continue;
        }
        if (isFirst) isFirst = false;
        else at++;
        const byte = json[at]!;
        if (byte === letterN) {
          end = put(out, end, this.#null);
          at += 4;
        } else if (byte === doubleQuote) {
          end = this.#putText(json, at, out, end);
          at = this.#at;
        } else {
          const from = at;
          for (let one = byte; one !== comma && one !== closeBracket; one = json[++at]!) {
            if ((one < nought || one > nine) && one !== minus) return void release();
            out[end + at - from] = one;
          }
          end = this.#format.isNumberPlain
            ? end + at - from
            : this.#putValue(out, end, BigInt(this.#decoder.decode(json.subarray(from, at))));
        }
      }
      at++;
      end = put(out, end, this.#end);
      rows++;
    }
    // What is written beyond its end is lost without an error.
    if (end > out.length) throw new Error("there is no room for the lines");
    return { bytes: out.subarray(0, end), rows, release };
  }

  #takeBuffer(length: number): Uint8Array {
    const free = this.#free.pop();
    return free !== undefined && free.length >= length ? free : new Uint8Array(2 * length);
  }

  /** Puts the text that begins at `from` with its quote, and says in `#at` where it ends; returns where it ends in `out`. */
  #putText(json: Uint8Array, from: number, out: Uint8Array, start: number): number {
    const { mark, first, inside, escaped, oddLength } = this.#rules;
    let at = from + 1;
    let kind = first[json[at]!]!;
    let end = start;
    if (mark !== undefined) out[end++] = mark;
    for (;; at++) {
      const byte = json[at]!;
      const one = inside[byte]!;
      if (one !== asItIs) {
        if (one === ending) break;
        if (one === escaping) {
          if (escaped > kind) kind = escaped;
          out[end++] = byte;
          out[end++] = json[++at]!;
          continue;
        }
        if (one > kind) kind = one;
      }
      out[end++] = byte;
    }
    this.#at = at + 1;
    const length = at - from - 1;
    if (length === 0) return put(out, start, this.#empty);
    if (kind === byFormat || length === oddLength) {
      const text = this.#decoder.decode(json.subarray(from, at + 1));
      return this.#putValue(out, start, JSON.parse(text) as string);
    }
    if (kind === quoted) {
      out.copyWithin(start + 1, start, end);
      out[start] = out[end + 1] = doubleQuote;
      return end + 2;
    }
    if (mark !== undefined) out[end++] = mark;
    return end;
  }

  #putValue(out: Uint8Array, end: number, value: Value): number {
    const text = this.#format.field(value)!;
    if (typeof value === "number") {
      for (let index = 0; index < text.length; index++) out[end++] = text.charCodeAt(index);
      return end;
    }
    const { read, written } = this.#encoder.encodeInto(text, out.subarray(end));
    if (read < text.length) throw new Error("there is no room for a field");
    return end + written;
  }
}

function put(out: Uint8Array, end: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) out[end++] = bytes[index]!;
  return end;
}
