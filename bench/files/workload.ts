import assert from "node:assert/strict";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import { contestants, type RunFile } from "./contestants.ts";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFile } from "../text/read_chunks.ts";
import { writeTestFile } from "../text/write_test_file.ts";

const page = 4096;

/** Makes a job on files ready: the input is written here, so it is in the system's cache. */
async function prepare(run: RunFile, { params }: CaseRequest): Promise<PreparedCase> {
  const sizeKiB = Number(params.fileKiB);
  const isCopied = params.job === "copy";
  const inputPath = join(tmpdir(), `hosepipe-input-${randomUUID()}`);
  const outputPath = isCopied ? join(tmpdir(), `hosepipe-output-${randomUUID()}`) : undefined;
  await writeTestFile(inputPath, sizeKiB * 1024);
  const input = await describeFile(inputPath, 1);
  let [chunks, bytes, check] = [0, 0, 0];
  /** Counts, and looks at one byte of every page, whatever the size of the chunks. */
  const take = (chunk: Uint8Array): void => {
    const start = (page - bytes % page) % page;
    for (let at = start; at < chunk.length; at += page) {
      check = (Math.imul(check, 31) + chunk[at]!) | 0;
    }
    chunks++;
    bytes += chunk.length;
  };
  return {
    // Written over, the last copy would have to reach the disk first.
    ...(outputPath === undefined ? {} : { reset: () => rm(outputPath, { force: true }) }),
    async run() {
      chunks = bytes = check = 0;
      await run({ inputPath, outputPath, take });
    },
    async verify() {
      if (outputPath !== undefined) {
        // In what pieces it was written cannot be seen from outside.
        const copy = await describeFile(outputPath, 1);
        assert.equal(copy.digest, input.digest, `${copy.bytes} bytes that are no copy`);
        return { ...copy, digest: `a copy of ${copy.bytes} bytes` };
      }
      assert(bytes === input.bytes, `${bytes} of ${input.bytes} bytes arrived`);
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
    job: choiceParam("job", { about: "what becomes of the chunks", choices: ["count", "copy"] }),
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
