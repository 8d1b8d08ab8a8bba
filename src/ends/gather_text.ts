import { ByteGatherer } from "../byte_gatherer.ts";
import { checkInteger } from "../errors.ts";
import { readGatherCall } from "./gather.ts";
import { gatherUnits } from "./gather_units.ts";
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
  let length = 0;
  const kind = await gatherUnits(call, (text) => {
    checkLength(length += text.length, maxLength);
    texts.push(text);
  }, (part) => {
    checkLength(length += part.length, maxLength * bytesPerUnit + markBytes);
    bytes.add(part);
  });
  if (kind !== "bytes") return texts.join("");
  const text = new TextDecoder().decode(bytes.take());
  checkLength(text.length, maxLength);
  return text;
}
