import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { appendFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { contestants } from "../../../bench/files/contestants.ts";
import { fileToFile } from "../../../bench/files/file_to_file.ts";
import { fileToNull } from "../../../bench/files/file_to_null.ts";
import { checkEqualFiles } from "../../../bench/files/check_equal_files.ts";
import { FileTally } from "../../../bench/files/file_tally.ts";
import { entriesHere } from "../_entries_here.ts";
import { runCase } from "../_run_case.ts";
import { inFolder } from "../../lib/in_folder.ts";

const litter = async () =>
  (await readdir(tmpdir())).filter((name) => /^hosepipe-(in|out)put-/.test(name)).length;

const digests = new Map<number, string>();
for (const { name, load } of entriesHere(contestants, {})) {
  for (const fileKiB of [0, 1, 64, 129]) {
    test(`file_to_null, ${fileKiB} KiB: ${name} reads every byte`, async () => {
      const { bytes, digest, chunks } = await runCase(fileToNull, name, { fileKiB });
      assertEquals(bytes, fileKiB * 1024);
      assert(fileKiB === 0 ? chunks <= 1 : chunks >= 1);
      digests.set(fileKiB, digests.get(fileKiB) ?? digest);
      assertEquals(digest, digests.get(fileKiB));
    });

    test(`file_to_file, ${fileKiB} KiB: ${name} copies`, async () => {
      assertEquals(await runCase(fileToFile, name, { fileKiB }), {
        chunks: 1,
        bytes: fileKiB * 1024,
        digest: `a copy of ${fileKiB * 1024} bytes`,
      });
    });
  }

  test(`${name} writes over a longer file`, () =>
    inFolder(async (folder) => {
      const [inputPath, outputPath] = [join(folder, "input"), join(folder, "output")];
      await writeFile(inputPath, "short");
      await writeFile(outputPath, "longer than that");
      await (await load())({ inputPath, outputPath, take: () => {} });
      assertEquals(await checkEqualFiles(inputPath, outputPath), 5);
    }));

  test(`${name} fails where there is no input`, () =>
    inFolder(async (folder) => {
      const run = await load();
      const inputPath = join(folder, "none");
      await assertRejects(() => run({ inputPath, outputPath: undefined, take: () => {} }), Error);
    }));
}

test("a copy is compared byte by byte", () =>
  inFolder(async (folder) => {
    const [one, other] = [join(folder, "one"), join(folder, "other")];
    const bytes = new Uint8Array(70_000).fill(7);
    await writeFile(one, bytes);
    await writeFile(other, bytes);
    assertEquals(await checkEqualFiles(one, other), 70_000);
    await appendFile(other, "x");
    await assertRejects(() => checkEqualFiles(one, other), Error, "differ at byte 70000");
    await assertRejects(() => checkEqualFiles(other, one), Error, "differ at byte 70000");
    bytes[69_999] = 8;
    await writeFile(other, bytes);
    await assertRejects(() => checkEqualFiles(one, other), Error, "differ at byte 69999");
    await writeFile(other, "");
    await assertRejects(() => checkEqualFiles(one, other), Error, "differ at byte 0");
  }));

test("the check of what was read does not depend on how it was cut, but on the bytes", () => {
  const bytes = Uint8Array.from({ length: 50_000 }, (_, index) => index / 100);
  const tallyOf = (size: number) => {
    const tally = new FileTally();
    for (let at = 0; at < bytes.length; at += size) tally.take(bytes.subarray(at, at + size));
    return [tally.bytes, tally.check];
  };
  const whole = tallyOf(bytes.length);
  for (const size of [1, 1000, 4096, 4097, 16_384]) assertEquals(tallyOf(size), whole);
  bytes[8192]!++;
  assert(tallyOf(4096)[1] !== whole[1]);
});

test("file_to_null does not accept what it did not read; files are removed in the end", async () => {
  const before = await litter();
  const prepared = await fileToNull.prepare({ contestant: "hand", params: { fileKiB: 2 } });
  await assertRejects(
    () => prepared.verify(),
    Error,
    "Cannot accept hand: 0 of 2048 bytes arrived",
  );
  await prepared.dispose();
  const copying = await fileToFile.prepare({ contestant: "hand", params: { fileKiB: 2 } });
  await assertRejects(() => copying.verify(), Error);
  await copying.run();
  await copying.dispose();
  assert(await litter() <= before);
});

test("the size of a file is an integer", () => {
  const { parse } = fileToNull.params.fileKiB!;
  assertEquals(parse("64"), 64);
  assertThrows(
    () => parse("1.5"),
    RangeError,
    'Cannot read fileKiB: must be an integer from 0 to 4194304, got "1.5"',
  );
});
