import { assertRejects } from "@std/assert";
import { test } from "node:test";
import { makeChunk } from "../../../bench/memory/make_chunk.ts";
import { prepareMemory } from "../../../bench/memory/prepare_memory.ts";

test("a run whose chunks do not come to the whole job is not accepted", async () => {
  const job = {
    chunk: makeChunk("bytes", 10),
    count: 4,
    isObjectMode: false,
    highWaterMark: undefined,
    stages: 0,
  };
  const prepared = await prepareMemory("passthrough", "hand", job);
  await assertRejects(
    () => prepared.verify(),
    Error,
    "Cannot accept hand: 0 of 4 chunks and 0 of 40 bytes arrived",
  );
  await prepared.run();
  job.count = 5;
  await assertRejects(
    () => prepared.verify(),
    Error,
    "Cannot accept hand: 4 of 5 chunks and 40 of 50 bytes arrived",
  );
});
