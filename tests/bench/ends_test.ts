import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { nativeEnds } from "../../bench/native_ends/workload.ts";
import { shortStreams } from "../../bench/short_streams/workload.ts";
import { entriesHere } from "./_entries_here.ts";
import { runCase } from "./_run_case.ts";

for (const stages of [0, 1, 13]) {
  test(`native_ends: everybody moves every number through ${stages} stages`, async () => {
    for (const { name } of entriesHere(nativeEnds.contestants, { stages })) {
      assertEquals([name, await runCase(nativeEnds, name, { stages, chunks: 100 })], [
        name,
        { chunks: 100, bytes: 0, digest: "100 chunks, sum 4950" },
      ]);
    }
  });
}

test("short_streams: everybody drains every chunk", async () => {
  for (const { name } of entriesHere(shortStreams.contestants, {})) {
    assertEquals([name, await runCase(shortStreams, name, { streams: 2, stages: 5, chunks: 3 })], [
      name,
      { chunks: 6, bytes: 0, digest: "6 chunks, sum 6" },
    ]);
  }
});

test("nothing is accepted that has not run", async () => {
  for (const workload of [nativeEnds, shortStreams]) {
    const params = { streams: 1, stages: 1, chunks: 3 };
    const prepared = await workload.prepare({ contestant: "hand", params });
    await assertRejects(() => prepared.verify(), Error, "Cannot accept hand: -1 of 3 chunks");
  }
});
