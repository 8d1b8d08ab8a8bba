import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeFile, readChunks } from "../text/read_chunks.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import { contestants, type CopyLines } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { type Bar, bar } from "../tables/bar.ts";
import process from "node:process";

/** First and last code points: blocks assigned for this long that every runtime's Unicode knows them alike. */
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0x3400, 0x4db5], // extension A, Unicode 3.0
  [0x4e00, 0x9fa5], // the unified ideographs of Unicode 1.1
  [0xf900, 0xfa2d], // compatibility ideographs, whose decompositions are frozen
  [0x20000, 0x2a6d6], // extension B, Unicode 3.1
  [0x2a700, 0x2b734], // extension C, Unicode 5.2
  [0x2b740, 0x2b81d], // extension D, Unicode 6.0
  [0x2b820, 0x2cea1], // extension E, Unicode 8.0
  [0x2f800, 0x2fa1d], // compatibility supplement, whose decompositions are frozen
];

const encoder = new TextEncoder();

function hexadecimal(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, "0");
}

function describe(codePoint: number): string {
  const ideograph = String.fromCodePoint(codePoint);
  const bytes = Array.from(encoder.encode(ideograph), (byte) => hexadecimal(byte, 2)).join(" ");
  const decomposition = ideograph.normalize("NFD");
  return [
    `U+${hexadecimal(codePoint, 4)}`,
    ideograph,
    bytes,
    decomposition === ideograph ? "" : decomposition,
  ].join("\t");
}

/**
 * The lines of the default input of copy_lines, without line feeds: each ideograph with its bytes and
 * its decomposition, sprinkled with what the job must drop, trim or fill in.
 */
function* ideographs(): Generator<string> {
  let index = 0;
  for (const [first, last] of ranges) {
    for (let codePoint = first; codePoint <= last; codePoint++, index++) {
      const line = describe(codePoint);
      if (index % 1000 === 0) yield `# from ${index}: U+${hexadecimal(codePoint, 4)}`;
      if (index % 250 === 125) yield "";
      if (index % 350 === 175) yield `U+${hexadecimal(codePoint, 4)}`;
      yield index % 97 === 48 ? ` \u3000${line} \t` : line;
    }
  }
}

/** The SHA-256 of the default input, the same in every runtime. */
const ideographsDigest = "cbcf0a35672be2b3fcfcc0b0a7f3758dd9407327309dc27b817d97a8a06cf5ce";

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function isIntact(path: string): Promise<boolean> {
  try {
    return digestOf(await readFile(path)) === ideographsDigest;
  } catch {
    return false;
  }
}

/**
 * Makes the default input of copy_lines at `path`, unless it is there and whole. It appears at once or
 * not at all, since several processes may want it together.
 */
async function ensureIdeographs(path: string): Promise<void> {
  if (await isIntact(path)) return;
  const bytes = new TextEncoder().encode(Array.from(ideographs(), (line) => line + "\n").join(""));
  const digest = digestOf(bytes);
  if (digest !== ideographsDigest) {
    throw new Error(
      `Cannot make ${path}: this runtime's Unicode tables give digest ${digest}, need ${ideographsDigest}`,
    );
  }
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

const whyShort =
  "On a tenth of the input a run lasts 5 to 10 ms, and two thirds of it are the file and the job's " +
  "own functions (`--cpu-prof` of 100 stages, in Node).";
const whyNative =
  "Each line leaves a fused chain through a native stream and a pipe, which take a few microtasks " +
  "for it; `pipeline` calls the sink. `fuse-batched` sends 64 lines through at a time.";

const [none, hundred] = [{ passes: 0 }, { passes: 100 }];

/** What the library promises of copy_lines. */
const copyLinesBars: readonly Bar[] = [
  bar("pipeline", "pipeline", { params: { passes: 300 }, divisorParams: none, atMost: 3 }),
  bar("pipeline-raw", "pipeline-raw", { params: { passes: 300 }, divisorParams: none, atMost: 8 }),
  bar("pull-stream", "pipeline", { params: { passes: 300 }, atLeast: 5 }),
  bar("web", "pipeline", { params: hundred, atLeast: 50, whyMissed: whyShort }),
  bar("node", "pipeline", { params: hundred, atLeast: 10 }),
  ...[
    "async-generators",
    "iterator-helpers",
    "most-core",
    "rxjs",
    "effect",
    "streamx",
    "pull-stream",
  ].map((name) => bar(name, "pipeline", { params: hundred, atLeast: 1 })),
  bar("pipeline", "hand", { params: none, atMost: 1.5, whyMissed: whyShort }),
  bar("fuse", "pipeline", {
    params: none,
    atMost: 2,
    whyMissed: `${whyNative} Of a run in Node native streams are 11 % then, and the library 10 % ` +
      "as in `pipeline`, which has none of them; the job and the file are most of the rest (`--cpu-prof`).",
  }),
  bar("fuse", "pipeline", { params: hundred, atMost: 1.3, whyMissed: whyNative }),
  bar("fuse-batched", "pipeline", { params: hundred, atMost: 1.3 }),
];

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

async function prepare(
  copyLines: CopyLines,
  { params, input: wholeInput = defaultInput }: CaseRequest,
): Promise<PreparedCase> {
  const passes = Number(params.passes);
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
      linesRead = await copyLines({ inputPath, outputPath, passes });
    },
    async verify() {
      linesThere ??= await countLines(inputPath);
      assert(linesRead === linesThere, `it counted ${linesRead} of ${linesThere} lines`);
      return await describeFile(outputPath, await countLines(outputPath));
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
    passes: integerParam("passes", {
      about: "do-nothing stages before the sink",
      minimum: 0,
      values: [0, 10, 100, 300],
      quick: [0, 100],
      tour: [0, 10, 100],
    }),
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
