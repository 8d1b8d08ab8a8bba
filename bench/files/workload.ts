import assert from "node:assert/strict";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import { contestants, type RunFile } from "./contestants.ts";
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outcome } from "../results/result.ts";
import { Buffer } from "node:buffer";
import { readChunks } from "../text/read_chunks.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

const blockSize = 65_536;

/** Writes a file of `size` bytes, always the same, no page of it like another. */
async function writeTestFile(path: string, size: number): Promise<void> {
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

const page = 4096;

/** A sink of a file's chunks, whatever their size: counts, and looks at one byte of every page. */
class FileTally {
  chunks = 0;
  bytes = 0;
  check = 0;

  /** Bound, so that contestants can pass it on as a function. */
  readonly take = (chunk: Uint8Array): void => {
    const start = (page - this.bytes % page) % page;
    for (let at = start; at < chunk.length; at += page) {
      this.check = (Math.imul(this.check, 31) + chunk[at]!) | 0;
    }
    this.chunks++;
    this.bytes += chunk.length;
  };
}

/**
 * Compares two files byte by byte; gives their size.
 *
 * @throws {Error} If they differ, with the place of the first difference.
 */
async function checkEqualFiles(path: string, otherPath: string): Promise<number> {
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

/** Makes a job on files ready: the input is written here, so it is in the system's cache. */
async function prepare(run: RunFile, { params }: CaseRequest): Promise<PreparedCase> {
  const sizeKiB = Number(params.fileKiB);
  const isCopied = params.job === "copy";
  const inputPath = join(tmpdir(), `hosepipe-input-${randomUUID()}`);
  const outputPath = isCopied ? join(tmpdir(), `hosepipe-output-${randomUUID()}`) : undefined;
  await writeTestFile(inputPath, sizeKiB * 1024);
  let tally = new FileTally();

  async function describeCopy(path: string): Promise<Outcome> {
    const bytes = await checkEqualFiles(inputPath, path);
    // In what pieces it was written cannot be seen from outside.
    return { chunks: 1, bytes, digest: `a copy of ${bytes} bytes` };
  }
  return {
    // Written over, the last copy would have to reach the disk first.
    ...(outputPath === undefined ? {} : { reset: () => rm(outputPath, { force: true }) }),
    async run() {
      tally = new FileTally();
      await run({ inputPath, outputPath, take: tally.take });
    },
    async verify() {
      if (outputPath !== undefined) return await describeCopy(outputPath);
      const { chunks, bytes, check } = tally;
      assert(bytes === sizeKiB * 1024, `${bytes} of ${sizeKiB * 1024} bytes arrived`);
      return { chunks, bytes, digest: `${bytes} bytes, check ${check}` };
    },
    async dispose() {
      await rm(inputPath, { force: true });
      if (outputPath !== undefined) await rm(outputPath, { force: true });
    },
  };
}

/** A file that is read, and copied or counted: what the ends of a pipeline cost. */
export const files: Workload = defineWorkload({
  name: "files",
  about: "a file read from end to end, its chunks counted, or copied to another",
  params: {
    job: choiceParam("job", {
      about: "what becomes of the chunks",
      choices: ["count", "copy"],
      values: ["count", "copy"],
    }),
    fileKiB: integerParam("fileKiB", {
      about: "size of the file in KiB",
      minimum: 0,
      maximum: 4_194_304,
      values: [1, 1024, 65_536],
      quick: [1024],
      full: [1, 64, 1024, 16_384, 262_144, 1_048_576],
    }),
  },
  contestants,
  whyFaster:
    "the runtimes' own copies show no chunk to JavaScript, or use one buffer for the whole file; `pipeline` passes on chunks that the reader may keep",
  rates: ["MiB/s"],
  prepare,
});
