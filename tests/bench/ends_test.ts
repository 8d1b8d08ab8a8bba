import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { asyncStages } from "../../bench/async_stages/workload.ts";
import { httpBody } from "../../bench/http_body/workload.ts";
import { byteBlocks } from "../../bench/byte_blocks/workload.ts";
import { flows } from "../../bench/flows/workload.ts";
import { joins } from "../../bench/joins/workload.ts";
import { ordered } from "../../bench/ordered/workload.ts";
import { nativeEnds } from "../../bench/native_ends/workload.ts";
import { nativeMarks } from "../../bench/native_marks/workload.ts";
import { oneStage } from "../../bench/one_stage/workload.ts";
import { smallRuns } from "../../bench/small_runs/workload.ts";
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

for (const stages of [0, 1, 7]) {
  test(`async_stages: everybody moves every number through ${stages} stages, in order`, async () => {
    const digests = new Set<string>();
    for (const { name } of entriesHere(asyncStages.contestants, { stages })) {
      const { chunks, digest } = await runCase(asyncStages, name, { stages, chunks: 100 });
      assertEquals([name, chunks], [name, 100]);
      digests.add(digest);
    }
    assertEquals(digests.size, 1);
  });
}

test("small_runs: everybody drains every run", async () => {
  for (const { name } of entriesHere(smallRuns.contestants, {})) {
    assertEquals([name, await runCase(smallRuns, name, { chunks: 5, runs: 3 })], [
      name,
      { chunks: 15, bytes: 0, digest: "54" },
    ]);
  }
});

test("async_stages and small_runs: nothing is accepted that has not run", async () => {
  for (
    const [workload, problem] of [[asyncStages, "-1 of 3 chunks"], [
      smallRuns,
      "a sum of -1",
    ]] as const
  ) {
    const params = { runs: 1, stages: 1, chunks: 3 };
    const prepared = await workload.prepare({ contestant: "hand", params });
    await assertRejects(() => prepared.verify(), Error, `Cannot accept hand: ${problem}`);
  }
});

test("http_body: everybody sends the same body", async () => {
  const params = { chunks: 20, requests: 9, stages: 6 };
  const digests = new Set<string>();
  for (const { name } of entriesHere(httpBody.contestants, params)) {
    const { chunks, digest } = await runCase(httpBody, name, params);
    assertEquals([name, chunks], [name, 180]);
    digests.add(digest);
  }
  assertEquals(digests.size, 1);
});

for (const [kind, chunks] of [["merge", 1000], ["zip", 50], ["share", 50]] as const) {
  test(`joins: everybody takes every chunk of a ${kind}`, async () => {
    const digests = new Set<string>();
    for (const { name } of entriesHere(joins.contestants, { kind })) {
      const outcome = await runCase(joins, name, { kind, chunks });
      digests.add(outcome.digest);
    }
    assertEquals(digests.size, 1);
  });
}

for (
  const [kind, chunks, taken] of [["inner", 200, 200], ["hub", 50, 500], ["rate", 50, 50], [
    "generators",
    50,
    50,
  ], ["waiting", 1000, 2]] as const
) {
  test(`flows: everybody takes every chunk, ${kind}`, async () => {
    const seen = new Set<string>();
    for (const { name } of entriesHere(flows.contestants, { kind })) {
      const { chunks: count, digest } = await runCase(flows, name, { kind, chunks });
      assertEquals([name, count], [name, taken]);
      seen.add(digest);
    }
    assertEquals(seen.size, 1);
  });
}

test("ordered: everybody takes every result, in order, with no more calls in flight than allowed", async () => {
  for (const { name } of entriesHere(ordered.contestants, {})) {
    const { digest } = await runCase(ordered, name, { count: 300, concurrency: 10, window: 30 });
    assertEquals([name, digest], [name, "300 in order"]);
  }
});

test("byte_blocks: everybody compresses every row", async () => {
  for (const { name } of entriesHere(byteBlocks.contestants, {})) {
    assertEquals((await runCase(byteBlocks, name, { rows: 500 })).chunks, 500);
  }
});

for (const marks of [0, 1, 16]) {
  test(`native_marks: everybody adds through three stages with marks of ${marks}`, async () => {
    for (const { name } of entriesHere(nativeMarks.contestants, { marks })) {
      const params = { stages: 3, marks, chunks: 100 };
      assertEquals([name, await runCase(nativeMarks, name, params)], [
        name,
        { chunks: 100, bytes: 0, digest: "100 chunks, sum 5250" },
      ]);
    }
  });
}

for (const job of ["batch", "flat-map", "format-ndjson", "parse-ndjson"]) {
  test(`one_stage: of ${job} everybody makes the same`, async () => {
    const digests = new Set<string>();
    for (const { name } of entriesHere(oneStage.contestants, { job })) {
      // More than one text of what is parsed.
      digests.add((await runCase(oneStage, name, { job, chunks: 3_000 })).digest);
    }
    assertEquals(digests.size, 1);
  });
}

test("one_stage: nothing is accepted that has not run", async () => {
  const params = { job: "batch", chunks: 3 };
  const prepared = await oneStage.prepare({ contestant: "hand", params });
  await assertRejects(() => prepared.verify(), Error, "Cannot accept hand: nothing came of it");
});
