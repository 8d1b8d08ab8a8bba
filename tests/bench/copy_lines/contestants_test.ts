import { assertEquals, assertRejects } from "@std/assert";
import { access, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { contestants } from "../../../bench/copy_lines/contestants.ts";
import { inFolder } from "../../lib/in_folder.ts";

const chunkSize = 65_536;
const encode = (text: string) => new TextEncoder().encode(text);
/** Fills up to `count` bytes before a chunk boundary, with lines that the job keeps. */
const upToBoundary = (count: number) => "a\tb\tc\n".repeat(20_000).slice(0, chunkSize - count);

function joined(...parts: (string | readonly number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...encode(part)] : [...part]),
  );
}

const inputs: Readonly<Record<string, Uint8Array>> = {
  "an empty file": joined(),
  "one line feed": joined("\n"),
  "no final newline": joined("0\t1\t2\nx\ty"),
  "a final carriage return": joined("0\t1\t2\r\n0\t1\t2\r"),
  "lone carriage returns": joined("0\t1\ra\t2\n\r0\t1\t2\n0\t1\t2\r\r\n"),
  "comments, blanks, missing and empty fields": joined(
    "# no\n \t \n\n  # no\t1\t2\nonly\n\t1\t2\n0\t\t2\n0\t1\t\n \u3000 0\t 1 \t2\t3 \n0#\t#1\n",
  ),
  "what JSON escapes": joined('0\t"\\\u2028\t\u0000\u007f😀\n'),
  "a byte-order mark": joined("\uFEFF0\t1\t2\n"),
  "a byte-order mark alone": joined("\uFEFF"),
  "a byte-order mark, then another, then one in a line": joined("\uFEFF\uFEFF0\t\uFEFF1\t2\n"),
  "a byte-order mark at a chunk's start": joined(upToBoundary(0), "\uFEFF7\t\uFEFF8\t9\n"),
  "a byte-order mark across chunks, in a field": joined(upToBoundary(6), "0\t\n0\t\uFEFF1\t2\n"),
  "invalid UTF-8": joined("0\t", [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xe4, 0xb8], "\t2\n"),
  "an unfinished character at the end": joined("0\t1\t", [0xf0, 0x9f, 0x98]),
  "a 2 MB line between two": joined(
    "0\t1\t2\n",
    `0\t${"汉字x".repeat(250_000)}\t${"y".repeat(260_000)}\n`,
    "0\t1\t2\n",
  ),
  "many lines": joined(
    Array.from({ length: 20_000 }, (_, index) => `${index}\t${"é".repeat(index % 50)}\t汉\r\n`)
      .join(""),
  ),
};

const splitInputs: Record<string, Uint8Array> = {};
for (const count of [1, 2, 3]) {
  splitInputs[`a character across chunks, ${count} bytes before`] = joined(
    upToBoundary(count + 2),
    "\n\t😀汉é\t😀\n",
  );
  splitInputs[`an invalid character across chunks, ${count} bytes before`] = joined(
    upToBoundary(count + 2),
    "\n\t",
    [0xf0, 0x9f, 0x98, 0x41, 0xe4, 0xb8],
    "\t2\n",
  );
  splitInputs[`\\r\\n across chunks, ${count} bytes before`] = joined(
    upToBoundary(count + 2),
    "\t0\r\n1\t2\t3\r\n",
  );
}

/** The same job in the plainest way: the whole file at once, by rules written out anew. */
function expect(bytes: Uint8Array): { linesRead: number; output: string } {
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const output = lines.map((line) => line.trim()).filter((line) => line && line[0] !== "#")
    .map((line) => {
      const [, first = null, second = null] = line.split("\t");
      return JSON.stringify([first, second]) + "\n";
    }).join("");
  return { linesRead: lines.length, output };
}

/** Those that read and split themselves, and one for all that are given the lines. */
const here = contestants.filter(({ name }) =>
  ["hand", "hand-streams", "pipeline", "pipeline-lines", "std"].includes(name)
);

async function exists(path: string): Promise<boolean> {
  return await access(path).then(() => true, () => false);
}

const promised =
  "hand step-list arrays pipeline pipeline-lines pipeline-one fuse web std node node-operators async-generators iterator-helpers rxjs effect most-core streamx pull-stream highland it-pipe streaming-iterables ix callbag"
    .split(" ");

test("copy_lines has the contestants the bench promises", () => {
  const names = contestants.map(({ name }) => name);
  assertEquals(promised.filter((name) => !names.includes(name)), []);
});

for (const { name, load } of here) {
  for (const [title, bytes] of Object.entries({ ...inputs, ...splitInputs })) {
    test(`${name} copies ${title}`, () =>
      inFolder(async (folder) => {
        const [inputPath, outputPath] = [join(folder, "input"), join(folder, "output")];
        await writeFile(inputPath, bytes);
        const { linesRead, output } = expect(bytes);

        assertEquals(await (await load())({ inputPath, outputPath, passes: 3 }), linesRead);

        // Compared as a whole first: the difference of megabytes is no help to anybody.
        const actual = await readFile(outputPath, "utf8");
        if (actual.length > 1000) assertEquals(actual === output, true);
        else assertEquals(actual, output);
      }));
  }

  test(`${name} copies through 300 passes`, () =>
    inFolder(async (folder) => {
      const [inputPath, outputPath] = [join(folder, "input"), join(folder, "output")];
      await writeFile(inputPath, "0\t1\t2\n".repeat(200));
      assertEquals(await (await load())({ inputPath, outputPath, passes: 300 }), 200);
      assertEquals(await readFile(outputPath, "utf8"), '["1","2"]\n'.repeat(200));
    }));

  test(`${name} fails with the source's error and leaves no output`, () =>
    inFolder(async (folder) => {
      const outputPath = join(folder, "output");
      const job = { inputPath: join(folder, "missing"), outputPath, passes: 1 };
      const run = await load();
      const error = await assertRejects(() => run(job), Error);
      assertEquals((error as NodeJS.ErrnoException).code, "ENOENT");
      assertEquals(await exists(outputPath), false);
    }));

  test(
    `${name} fails with the sink's error`,
    { skip: process.platform !== "linux" },
    () =>
      inFolder(async (folder) => {
        const [inputPath, outputPath] = [join(folder, "input"), join(folder, "output")];
        await writeFile(inputPath, "0\t1\t2\n".repeat(100_000));
        await symlink("/dev/full", outputPath);
        const run = await load();
        const error = await assertRejects(() => run({ inputPath, outputPath, passes: 1 }), Error);
        assertEquals((error as NodeJS.ErrnoException).code, "ENOSPC");
      }),
  );
}
