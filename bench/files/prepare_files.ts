import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contestants } from "./contestants.ts";
import type { PreparedCase } from "../measure/workload.ts";
import type { Outcome } from "../results/outcome.ts";
import { checkEqualFiles } from "./check_equal_files.ts";
import { FileTally } from "./file_tally.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { writeTestFile } from "./write_test_file.ts";

/** Which job on files to make ready. */
export interface FilesRequest {
  readonly workload: string;
  readonly contestant: string;
  readonly sizeKiB: number;
  /** Whether the file is copied, and not only counted. */
  readonly isCopied: boolean;
}

/** Makes a job on files ready: the input is written here, so it is in the system's cache. */
export async function prepareFiles(
  { workload, contestant, sizeKiB, isCopied }: FilesRequest,
): Promise<PreparedCase> {
  const run = await findContestant(workload, contestants, contestant).load();
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
      if (bytes !== sizeKiB * 1024) {
        throw new Error(
          `Cannot accept ${contestant}: ${bytes} of ${sizeKiB * 1024} bytes arrived`,
        );
      }
      return { chunks, bytes, digest: `${bytes} bytes, check ${check}` };
    },
    async dispose() {
      await rm(inputPath, { force: true });
      if (outputPath !== undefined) await rm(outputPath, { force: true });
    },
  };
}
