import { Buffer } from "node:buffer";
import type { FormatOptions } from "./format_options.ts";
import type { RowFormat } from "./dialect.ts";

const blank = 32;
const doubleQuote = 34;
const backslash = 92;
const deleteCharacter = 127;
const firstOfMore = 128;

/** What a format does about a byte of a text: nothing, quotes around the text, or what only the format knows. */
export const asItIs = 0;
export const quoted = 1;
export const byFormat = 2;
/** What such bytes are in JSON besides. */
export const escaping = 3;
export const ending = 4;

/** Characters of several bytes, among them those that formats may have rules about. */
const widerSamples = [..."\u0085\u00a0é日\u2028\ufeff＝😀"];
const escapedByJson = `${
  String.fromCharCode(...Array.from({ length: blank }, (_, code) => code))
}"\\`;

const isWider = (one: string) => one.codePointAt(0)! >= firstOfMore;

/** What a format does about the bytes of texts that JSON has. */
export interface ByteRules {
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
export function byteRules(
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
