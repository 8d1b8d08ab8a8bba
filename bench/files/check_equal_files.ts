import { Buffer } from "node:buffer";
import { readChunks } from "../text/read_chunks.ts";

/**
 * Compares two files byte by byte; gives their size.
 *
 * @throws {Error} If they differ, with the place of the first difference.
 */
export async function checkEqualFiles(path: string, otherPath: string): Promise<number> {
  const others = readChunks(otherPath);
  let size = 0;
  try {
    for await (const chunk of readChunks(path)) {
      const { value: other = new Uint8Array(0) } = await others.next();
      if (Buffer.compare(chunk, other) !== 0) {
        const at = chunk.findIndex((byte, index) => byte !== other[index]);
        throw new Error(`the files differ at byte ${size + (at === -1 ? chunk.length : at)}`);
      }
      size += chunk.length;
    }
    if (!(await others.next()).done) throw new Error(`the files differ at byte ${size}`);
    return size;
  } finally {
    await others.return(undefined);
  }
}
