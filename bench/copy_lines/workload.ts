import { createHash, randomUUID } from "node:crypto";
import { access, constants, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkInteger } from "../../src/errors.ts";
import { readChunks } from "../text/read_chunks.ts";
import { defineWorkload } from "../measure/define_workload.ts";
import { contestants } from "./contestants.ts";
import type { CopyLines } from "./job.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import type { Outcome } from "../results/outcome.ts";
import { copyLinesBars } from "./copy_lines_bars.ts";
import { integerParam } from "../params/integer_param.ts";
import { ensureIdeographs } from "./ensure_ideographs.ts";

/** Writes the first `tenths` tenths of a text file to `path`, up to the end of the line that is cut. */
async function cutInput(input: string, tenths: number, path: string): Promise<void> {
  const bytes = await readFile(input);
  const end = bytes.indexOf(lineFeed, Math.ceil(bytes.length * tenths / 10));
  await writeFile(path, end === -1 ? bytes : bytes.subarray(0, end + 1));
}

const lineFeed = 0x0a;
const byteOrderMark = "239,187,191";

/** Counts the lines of a text file by its bytes alone, to check contestants that count them on the way. */
async function countLines(path: string): Promise<number> {
  let lineFeeds = 0;
  let size = 0;
  let last = lineFeed;
  let start = "";
  for await (const chunk of readChunks(path)) {
    if (size === 0) start = chunk.subarray(0, 4).join();
    size += chunk.length;
    last = chunk.at(-1)!;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
      lineFeeds++;
    }
  }
  // A file of a byte-order mark and nothing else holds no text, so no line.
  const isMarkAlone = size === 3 && start === byteOrderMark;
  return lineFeeds + (last === lineFeed || isMarkAlone ? 0 : 1);
}

const defaultInput = fileURLToPath(new URL("../data/ideographs.tsv", import.meta.url));

function parsePasses(text: string): number {
  const passes = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(passes)) {
    throw new RangeError(
      `Cannot read passes: must be a non-negative integer, got ${JSON.stringify(text)}`,
    );
  }
  return passes;
}

async function checkReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (cause) {
    throw new Error(`Cannot prepare copy_lines: input ${path} cannot be read`, { cause });
  }
}

async function describeOutput(path: string): Promise<Outcome> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of readChunks(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { chunks: await countLines(path), bytes, digest: hash.digest("hex") };
}

async function prepare(
  copyLines: CopyLines,
  { contestant, params, input }: CaseRequest,
): Promise<PreparedCase> {
  const passes = params.passes;
  checkInteger("prepare copy_lines", "passes", passes, 0);
  const wholeInput = input ?? defaultInput;
  await checkReadable(wholeInput);
  const tenths = Number(params.tenths ?? 10);
  const cutPath = join(tmpdir(), `hosepipe-copy-lines-input-${randomUUID()}`);
  const inputPath = tenths === 10 ? wholeInput : cutPath;
  if (inputPath === cutPath) await cutInput(wholeInput, tenths, cutPath);
  const outputPath = join(tmpdir(), `hosepipe-copy-lines-${randomUUID()}`);
  let linesRead = 0;
  let linesThere: number | undefined;
  return {
    // Written over, the last output would have to reach the disk first: milliseconds, and never the same.
    reset: () => rm(outputPath, { force: true }),
    async run() {
      linesRead = await copyLines({ inputPath, outputPath, passes: passes as number });
    },
    async verify() {
      linesThere ??= await countLines(inputPath);
      if (linesRead !== linesThere) {
        throw new Error(
          `Cannot accept ${contestant}: it counted ${linesRead} of ${linesThere} lines`,
        );
      }
      return await describeOutput(outputPath);
    },
    async dispose() {
      await rm(outputPath, { force: true });
      await rm(cutPath, { force: true });
    },
  };
}

/** Reads a text file and writes another, one JSON pair a line: what the length of a pipeline costs. */
export const copyLines: Workload = defineWorkload({
  name: "copy_lines",
  about: "decode, split, trim, drop, select two fields, to JSON, n do-nothing stages, write",
  params: {
    passes: {
      about: "do-nothing stages before the sink",
      values: [0, 10, 100, 300],
      quick: [0, 100],
      tour: [0, 10, 100],
      parse: parsePasses,
    },
    tenths: integerParam("tenths", {
      about: "how many tenths of the input",
      maximum: 10,
      values: [10],
      quick: [1],
    }),
  },
  set: "tour",
  contestants,
  bars: copyLinesBars,
  takesInput: true,
  prepareInput: () => ensureIdeographs(defaultInput),
  prepare,
});
