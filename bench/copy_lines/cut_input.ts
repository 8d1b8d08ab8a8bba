import { readFile, writeFile } from "node:fs/promises";

const lineFeed = 0x0a;

/** Writes the first `tenths` tenths of a text file to `path`, up to the end of the line that is cut. */
export async function cutInput(input: string, tenths: number, path: string): Promise<void> {
  const bytes = await readFile(input);
  const end = bytes.indexOf(lineFeed, Math.ceil(bytes.length * tenths / 10));
  await writeFile(path, end === -1 ? bytes : bytes.subarray(0, end + 1));
}
