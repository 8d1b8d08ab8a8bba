import type { Field, OrderField } from "./selection.ts";
import { UsageError } from "../command_line/usage_error.ts";

/** Splits at a character, but where a backslash stands before it. */
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = [""];
  for (let index = 0; index < text.length; index++) {
    const isEscaped = text[index] === "\\" && index + 1 < text.length;
    if (isEscaped) parts[parts.length - 1] += text.slice(index, ++index + 1);
    else if (text[index] === mark) parts.push("");
    else parts[parts.length - 1] += text[index]!;
  }
  return parts;
}

const unescape = (text: string) => text.replaceAll(/\\(.)/gs, "$1");

/**
 * Reads fields such as `id,contact.name:name`; a backslash stands before a comma or a colon of a name.
 *
 * @throws {UsageError} If one is empty.
 */
export function readFields(text: string): Field[] {
  return splitAt(text, ",").map((one) => {
    const [path = "", title, ...more] = splitAt(one.trim(), ":").map(unescape);
    if (path === "" || title === "" || more.length > 0) {
      throw new UsageError(
        `--fields must be names between commas, each with :NAME for another one, got ${
          JSON.stringify(one)
        }`,
      );
    }
    return { path, title: title ?? path };
  });
}

/**
 * Reads an order such as `created_at:desc,id`.
 *
 * @throws {UsageError} If one is empty, or its direction none.
 */
export function readOrder(text: string): OrderField[] {
  return splitAt(text, ",").map((one) => {
    const [path = "", direction = "asc", ...more] = splitAt(one.trim(), ":").map(unescape);
    if (path === "" || !["asc", "desc"].includes(direction) || more.length > 0) {
      throw new UsageError(
        `--order-by must be names between commas, each with :desc if it falls, got ${
          JSON.stringify(one)
        }`,
      );
    }
    return { path, isDescending: direction === "desc" };
  });
}
