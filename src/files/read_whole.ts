import { Buffer } from "node:buffer";
import type { ByteRange } from "./parse_range.ts";
import type { SentFile } from "./sent_file.ts";

/** The most that one read is asked for: the system refuses more than 2 GiB. */
const largestRead = 2 ** 30;

/** Reads `range` of a file into one buffer and closes the file, even if that fails. */
export async function readWhole(
  file: SentFile,
  { start, end }: ByteRange,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const buffer = Buffer.allocUnsafeSlow(end - start);
    for (let filled = 0; filled < buffer.length;) {
      const rest = buffer.subarray(filled, filled + largestRead);
      filled += await file.read(rest, start + filled);
    }
    return new Uint8Array(buffer.buffer);
  } finally {
    await file.close();
  }
}
