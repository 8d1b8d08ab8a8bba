import { open } from "node:fs/promises";

/** The size of a chunk read and of a write to a file, in bytes. */
export const chunkSize = 65_536;

/** Reads a file in chunks of 64 KiB, each in its own memory, since stages may keep several at a time. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(path, "r");
  try {
    while (true) {
      const chunk = new Uint8Array(chunkSize);
      let length = 0;
      // Short reads, as pipes give, are joined: everyone gets the same chunks.
      while (length < chunkSize) {
        const { bytesRead } = await file.read(chunk, length, chunkSize - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > 0) yield length < chunkSize ? chunk.subarray(0, length) : chunk;
      if (length < chunkSize) return;
    }
  } finally {
    await file.close();
  }
}
