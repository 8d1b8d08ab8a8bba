import { open } from "node:fs/promises";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

const blockSize = 65_536;

/** Writes a file of `size` bytes, always the same, no page of it like another. */
export async function writeTestFile(path: string, size: number): Promise<void> {
  const random = seededRandom(size);
  const block = Uint8Array.from({ length: blockSize }, () => Math.floor(random() * 256));
  await using file = await open(path, "w");
  for (let at = 0; at < size; at += blockSize) {
    for (let byte = 0; byte < blockSize; byte += 4096) {
      block[byte] = Math.floor(random() * 256);
      block[byte + 1] = Math.floor(random() * 256);
    }
    await file.writeFile(block.subarray(0, Math.min(blockSize, size - at)));
  }
}
