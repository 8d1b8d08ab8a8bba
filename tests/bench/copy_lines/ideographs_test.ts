import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ensureIdeographs, ideographsDigest } from "../../../bench/copy_lines/ensure_ideographs.ts";
import { ideographs } from "../../../bench/copy_lines/ideographs.ts";

const digestOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const lines = [...ideographs()];

test("ideographs have the pinned digest in this runtime", () => {
  assertEquals(digestOf(lines.map((line) => line + "\n").join("")), ideographsDigest);
});

test("ideographs are about 82,000 lines of every kind the job tells apart", () => {
  assertEquals(lines.length, 81_811);
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  assertEquals(count(/^#/), 82);
  assertEquals(count(/^$/), 325);
  assertEquals(count(/^U\+[0-9A-F]+$/), 232);
  assertEquals(count(/^\s+U.*\s$/), 837);
  assertEquals(count(/^\s*U\+[0-9A-F]+\t.+\t[0-9A-F ]+\t/), 81_172);
});

test("ideographs carry their bytes and decompositions", () => {
  assert(lines.includes("U+4E00\t一\tE4 B8 80\t"));
  assert(lines.includes("U+F900\t\uF900\tEF A4 80\t豈"));
  assertMatch(lines.at(-1)!, /^U\+2FA1D\t.+\tF0 AF A8 9D\t𪘀$/u);
});

test("ensureIdeographs makes the file, leaves a whole one alone and mends a broken one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  const path = join(folder, "data", "ideographs.tsv");
  try {
    await Promise.all([ensureIdeographs(path), ensureIdeographs(path)]);
    assertEquals(digestOf(await readFile(path)), ideographsDigest);

    await ensureIdeographs(path);
    await writeFile(path, "U+4E00\n");
    await ensureIdeographs(path);
    assertEquals(digestOf(await readFile(path)), ideographsDigest);
    assertEquals(await readdir(join(folder, "data")), ["ideographs.tsv"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
