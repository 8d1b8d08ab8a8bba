import type { FileFacts } from "./file_facts.ts";
import { Buffer } from "node:buffer";
import type { ByteRange } from "./parse_range.ts";

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

/** An open file that is sent from: what is read of it is as was promised, or the read fails. */
export interface SentFile {
  readonly facts: FileFacts;
  /** Fills `buffer` from `position` on as far as one read goes. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Sets what is called when the file, which is open, has been closed. */
  whenClosed(callback: () => void): void;
  close(): Promise<void>;
}

/** Bytes in memory in place of a file. */
export function memoryFile(bytes: Uint8Array, facts: FileFacts): SentFile {
  let onClosed = () => {};
  return {
    facts,
    read(buffer, position) {
      const part = bytes.subarray(position, position + buffer.length);
      buffer.set(part);
      return Promise.resolve(part.length);
    },
    whenClosed: (callback) => void (onClosed = callback),
    close() {
      onClosed();
      return Promise.resolve();
    },
  };
}
