import type { SQLInputValue } from "node:sqlite";
import { JsonText } from "../extract/json_text.ts";
import type { sqliteAffinity } from "../extract/sources/sqlite_affinity.ts";
import { base64Bytes } from "./base64_bytes.ts";
import type { Field } from "./load_record.ts";

/** A column, by what is made of its values. */
export interface SqliteColumn {
  readonly affinity: ReturnType<typeof sqliteAffinity>;
  /** Whether the name of its type says that it has bytes. */
  readonly isBinary: boolean;
}

const fraction = /^\s*[+-]?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?\s*$/i;
const whole = /^\s*[+-]?\d+\s*$/;

/** A number, read exactly, which SQLite's own reading may not be. */
function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new SyntaxError("a number is larger than those that can be stored");
}

function valueOfText(text: string, { affinity, isBinary }: SqliteColumn): SQLInputValue {
  // It would be stored as another.
  if (!text.isWellFormed()) throw new SyntaxError("a text has half a surrogate pair");
  if (isBinary) {
    try {
      return base64Bytes(text);
    } catch (error) {
      // By its affinity, such a column may have had a text or a number.
      if (affinity === "blob") throw error;
    }
  }
  if (affinity === "text" || affinity === "blob") return text;
  // Which SQLite does not read as a number, or without its sign.
  if (affinity === "real" && /^(?:-?Infinity|-0)$/.test(text)) return Number(text);
  return fraction.test(text) || affinity === "real" && whole.test(text) ? numberOf(text) : text;
}

/**
 * What SQLite is given for a value of a file.
 *
 * @throws {SyntaxError} If the column cannot have it.
 */
export function sqliteValue(field: Field, column: SqliteColumn): SQLInputValue {
  if (field === null) return null;
  if (!(field instanceof JsonText)) {
    return valueOfText(typeof field === "string" ? field : field.text, column);
  }
  const { text } = field;
  if (column.affinity === "text") return text;
  if (text === "true" || text === "false") return text === "true" ? 1 : 0;
  if (!/^[-\d]/.test(text)) return text;
  if (whole.test(text) && text !== "-0") {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  // Where nothing makes a number of it, no digit of it is lost.
  const [digits] = text.replace("-", "").split(/e/i) as [string];
  const all = digits.replace(".", "");
  const from = all.search(/[1-9]/);
  // From the end in a loop: an expression would try again at each zero.
  let to = all.length;
  while (all[to - 1] === "0") to--;
  const isLong = from !== -1 && to - from > 17;
  return column.affinity === "blob" && isLong ? text : numberOf(text);
}
