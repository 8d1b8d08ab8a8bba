import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the generated file is called. */
export const sampleName = "sample.bin";

const sampleBytes = 32 * 2 ** 20;

/** Makes a folder with one generated file for as long as `use` takes. */
export async function withSampleFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-serve-"));
  try {
    // Numbers that rise, so that a chunk out of its place shows.
    const words = new Uint32Array(sampleBytes / 4);
    for (let index = 0; index < words.length; index++) words[index] = index;
    await writeFile(join(folder, sampleName), words);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
