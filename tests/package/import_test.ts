import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import * as byName from "@hosepipe/streams";
import { map, pipeline } from "@hosepipe/streams";
import * as nodeByName from "@hosepipe/streams/node";
import { fromNode, toNode } from "@hosepipe/streams/node";
import * as byPath from "../../mod.ts";
import * as nodeByPath from "../../node_compat/mod.ts";

function assertSameModule(one: Record<string, unknown>, other: Record<string, unknown>): void {
  assertEquals(Object.keys(one).sort(), Object.keys(other).sort());
  for (const name of Object.keys(one)) assertStrictEquals(one[name], other[name], name);
}

test("a pipeline is imported by the library's name and run", async () => {
  const written: string[] = [];
  const { chunksRead, chunksWritten } = await pipeline(
    [1, 2, 3],
    map((n: number) => n * 2),
    map((n, index) => `${index}: ${n}`),
    (line) => void written.push(line),
  );
  assertEquals(written, ["0: 2", "1: 4", "2: 6"]);
  assertEquals([chunksRead, chunksWritten], [3, 3]);
});

test("the twins on node streams are imported by their name and run", async () => {
  const written: string[] = [];
  await nodeByName.pipeline(
    nodeByName.reader(["a", "b"]),
    nodeByName.transformer(map((letter: string) => letter.toUpperCase())),
    nodeByName.writer((letter: string) => void written.push(letter)),
  );
  assertEquals(written, ["A", "B"]);
  assertEquals(await Array.fromAsync(fromNode(toNode(byName.reader([1, 2])))), [1, 2]);
});

test("a name leads to the very module that its path leads to", () => {
  assertSameModule(byName, byPath);
  assertSameModule(nodeByName, nodeByPath);
});
