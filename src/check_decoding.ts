import type { Decoding } from "./byte_decoder.ts";
import type { DecodingOptions } from "./decoding_options.ts";
import { checkBoolean, throwTypeError } from "./errors.ts";

/** The names of the options, for `checkOptions`. */
export const decodingOptions: readonly string[] = ["encoding", "fatal"];

/**
 * How bytes are to become text, of options that are checked.
 *
 * @throws {TypeError} If one has the wrong type.
 * @throws {RangeError} If the runtime does not know the encoding.
 */
export function checkDecoding(action: string, options: DecodingOptions): Decoding {
  const { encoding = "utf-8", fatal = false } = options;
  if (typeof encoding !== "string") throwTypeError(action, "encoding", "a string", encoding);
  checkBoolean(action, "fatal", fatal);
  try {
    return { encoding: new TextDecoder(encoding, { fatal }).encoding, fatal };
  } catch (cause) {
    const problem = "encoding must be a label that TextDecoder knows";
    throw new RangeError(`Cannot ${action}: ${problem}, got ${JSON.stringify(encoding)}`, {
      cause,
    });
  }
}
