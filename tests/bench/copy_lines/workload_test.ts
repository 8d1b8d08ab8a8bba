import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { copyLines } from "../../../bench/copy_lines/workload.ts";

const { parse } = copyLines.params.passes!;

test("copy_lines reads passes", () => {
  assertEquals(parse("0"), 0);
  assertEquals(parse("300"), 300);
  for (const text of ["-1", "1.5", "", "many", "1e3", "99999999999999999999"]) {
    assertThrows(
      () => parse(text),
      RangeError,
      `Cannot read passes: must be a non-negative integer, got ${JSON.stringify(text)}`,
    );
  }
});

test("copy_lines prepares a case that runs twice to the same outcome", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    const input = join(folder, "input");
    await writeFile(input, "# no\n0\t1\t2\n\nonly\n0\té");
    const output = '["1","2"]\n[null,null]\n["é",null]\n';
    const prepared = await copyLines.prepare({ contestant: "hand", params: { passes: 2 }, input });
    const expected = {
      chunks: 3,
      bytes: new TextEncoder().encode(output).length,
      digest: createHash("sha256").update(output).digest("hex"),
    };
    await prepared.run();
    assertEquals(await prepared.verify(), expected);
    await prepared.run();
    assertEquals(await prepared.verify(), expected);

    await writeFile(input, "one more\n0\t1\t2\n0\t1\t2\n");
    await prepared.run();
    await assertRejects(() => prepared.verify(), Error, "it counted 3 of 5 lines");

    await prepared.dispose();
    await assertRejects(() => prepared.verify(), Error);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("copy_lines refuses what it cannot prepare", async () => {
  const prepare = (contestant: string, passes: number, input?: string) => () =>
    copyLines.prepare({ contestant, params: { passes }, input });
  await assertRejects(
    prepare("nobody", 0),
    Error,
    "no contestant nobody; the contestants are hand, ",
  );
  await assertRejects(prepare("hand", -1), RangeError, "passes must be a non-negative integer");
  await assertRejects(
    prepare("hand", 0, join(tmpdir(), "hosepipe-missing")),
    Error,
    "hosepipe-missing cannot be read",
  );
});
