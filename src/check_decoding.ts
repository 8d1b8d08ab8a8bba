import type { Decoding } from "./byte_decoder.ts";
import { boolean, type OptionReader, text } from "./read_options.ts";

/** Reads the options, but for whether the runtime knows the encoding. */
export function decodingReaders(): {
  encoding: OptionReader<string>;
  fatal: OptionReader<boolean>;
} {
  return { encoding: text("utf-8"), fatal: boolean(false) };
}

/** How bytes are to become text; throws a `RangeError` if the runtime does not know the encoding. */
export function checkDecoding(action: string, { encoding, fatal }: Decoding): Decoding {
  try {
    return { encoding: new TextDecoder(encoding, { fatal }).encoding, fatal };
  } catch (cause) {
    const problem = "encoding must be a label that TextDecoder knows";
    throw new RangeError(`Cannot ${action}: ${problem}, got ${JSON.stringify(encoding)}`, {
      cause,
    });
  }
}
