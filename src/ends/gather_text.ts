import { ByteGatherer } from "../byte_gatherer.ts";
import { checkInteger, throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { ToTextOptions } from "./gather_types.ts";

// What one UTF-16 code unit takes at most as UTF-8, and a byte order mark.
const bytesPerUnit = 3;
const markBytes = 3;

/** What `toText` does, and `toJson` before it parses: `name` is whose errors they are. */
export async function gatherText(
  entry: unknown,
  name: string,
  args: readonly unknown[],
): Promise<string> {
  const call = readGatherCall<ToTextOptions>(entry, name, ["maxLength"], args);
  const action = `run ${name}`;
  const { maxLength = Infinity } = call.options;
  checkInteger(action, "maxLength", maxLength, 0, true);
  const checkLength = (length: number, most: number): void => {
    if (length <= most) return;
    throw new RangeError(`Cannot ${action}: the text is longer than maxLength ${maxLength}`);
  };

  const texts: string[] = [];
  const bytes = new ByteGatherer();
  let kind: "text" | "bytes" | undefined;
  let length = 0;
  await gather(call, (chunk) => {
    if (typeof chunk === "string" && kind !== "bytes") {
      kind = "text";
      checkLength(length += chunk.length, maxLength);
      texts.push(chunk);
    } else if (isBytes(chunk) && kind !== "text") {
      kind = "bytes";
      // Decoded at the end, all at once: this is what they are at least.
      checkLength(length += chunk.length, maxLength * bytesPerUnit + markBytes);
      bytes.add(chunk);
    } else {
      const need = kind === "text"
        ? "a string"
        : kind === "bytes"
        ? "a Uint8Array"
        : "a Uint8Array or a string";
      throwTypeError(action, "a chunk", need, chunk);
    }
  });
  if (kind !== "bytes") return texts.join("");
  const text = new TextDecoder().decode(bytes.take());
  checkLength(text.length, maxLength);
  return text;
}
