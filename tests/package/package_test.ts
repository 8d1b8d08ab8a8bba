import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { map, pipeline } from "@hosepipe/streams";
import { fromNode, toNode } from "@hosepipe/streams/node";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { build, stop } from "esbuild";
import * as byName from "@hosepipe/streams";
import * as nodeByName from "@hosepipe/streams/node";
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

const root = new URL("../..", import.meta.url);

test("each option of pipeline works in a bundle that imports nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-options-"));
  const outfile = join(folder, "options.mjs");
  try {
    await build({
      entryPoints: [fileURLToPath(new URL("project/bundled/options.js", import.meta.url))],
      alias: { "@hosepipe/streams": fileURLToPath(new URL("mod.ts", root)) },
      bundle: true,
      minify: true,
      format: "esm",
      outfile,
    });
    const { sayOptions } = await import(pathToFileURL(outfile).href);
    assertEquals(
      await sayOptions(),
      "why, bundled, sink, 0, site, its write 1 has not settled, 1, why, why, enough, 0",
    );
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
});
