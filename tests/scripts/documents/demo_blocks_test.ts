import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { demoBlocks } from "../../../scripts/documents/demo_blocks.ts";

const names = ["demo-01", "demo-02", "demo-03", "demo-04", "demo-05", "demo-06"];

test("there is a block for each demo, and the page shows each once", async () => {
  assertEquals(Object.keys(demoBlocks), names);
  const page = await readFile(new URL("../../../docs/backpressure.md", import.meta.url), "utf8");
  for (const name of names) {
    assertEquals(page.split(`<!-- generated:${name} -->`).length, 2);
    assert(demoBlocks[name]!.split("\n").every((line) => line.length <= 80));
  }
});

test("the blocks say what the page explains", () => {
  assertStringIncludes(demoBlocks["demo-02"]!, "web: 15 read, 5 transformed");
  assertStringIncludes(demoBlocks["demo-02"]!, "node: 14 read, 5 transformed");
  assertStringIncludes(demoBlocks["demo-02"]!, "writableLength 5, of which 4 wait");
  assertStringIncludes(demoBlocks["demo-04"]!, "web, before the first write has finished: 20 read");
  assertStringIncludes(
    demoBlocks["demo-04"]!,
    "node, before the first write has finished: 15 read",
  );
  // What the table of batches has for a mark of 4, too.
  assertStringIncludes(demoBlocks["demo-04"]!, "[■■■■]+4  [■■■■]        [■■■■]         [■■■▣]");
  assertStringIncludes(demoBlocks["demo-04"]!, "[■■■■]    [■■■□]        [■■■■]         [■■■▣]");
  const flights = (name: string) =>
    demoBlocks[name]!.split("\n").slice(1, -1).map((line) =>
      line.split(" ").map(Number).filter((count) => !Number.isNaN(count))
    );
  for (const counts of flights("demo-05")) assert(counts.slice(0, -12).some((count) => count < 7));
  for (const counts of flights("demo-06")) {
    const steady = counts.slice(0, counts.lastIndexOf(10) + 1).filter((count) => count > 0);
    assertEquals([Math.min(...steady), Math.max(...steady)], [9, 10]);
  }
});
