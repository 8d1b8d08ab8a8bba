import { checkInteger, throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { ToTextOptions } from "./gather_types.ts";

// What one UTF-16 code unit takes at most as UTF-8, and a byte order mark.
const bytesPerUnit = 3;
const markBytes = 3;

/** What `toText` does, and `toJson` before it parses: `name` is whose errors they are. */
export async function gatherText(name: string, args: readonly unknown[]): Promise<string> {
  const call = readGatherCall<ToTextOptions>(name, ["maxLength"], args);
  const action = `run ${name}`;
  const { maxLength = Infinity } = call.options;
  checkInteger(action, "maxLength", maxLength, 0, true);
  const checkLength = (length: number, most: number): void => {
    if (length <= most) return;
    throw new RangeError(`Cannot ${action}: the text is longer than maxLength ${maxLength}`);
  };

  const texts: string[] = [];
  const parts: Uint8Array[] = [];
  let length = 0;
  await gather(call, (chunk) => {
    if (typeof chunk === "string" && parts.length === 0) {
      checkLength(length += chunk.length, maxLength);
      texts.push(chunk);
    } else if (isBytes(chunk) && texts.length === 0) {
      // Decoded at the end, all at once: this is what they are at least.
      checkLength(length += chunk.length, maxLength * bytesPerUnit + markBytes);
      // Copied, since the source may use its buffer again.
      parts.push(new Uint8Array(chunk));
    } else {
      const need = texts.length > 0
        ? "a string"
        : parts.length > 0
        ? "a Uint8Array"
        : "a Uint8Array or a string";
      throwTypeError(action, "a chunk", need, chunk);
    }
  });
  if (parts.length === 0) return texts.join("");
  const text = new TextDecoder().decode(joinBytes(parts, length));
  checkLength(text.length, maxLength);
  return text;
}
