import { readdirSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { pipeline, toArray } from "../../mod.ts";
import { inWorkers } from "../../src/workers/mod.ts";
import { isThorough } from "../lib/thorough.ts";

const square = new URL("./modules/square.ts", import.meta.url);

/** How many threads the process has, where the system says it. */
function countThreads(): number | undefined {
  return process.platform === "linux" ? readdirSync("/proc/self/task").length : undefined;
}

/** Waits until threads that were ended are gone: how long that takes is the system's. */
async function countSettled(atMost: number): Promise<number> {
  let count = countThreads()!;
  for (let turn = 0; turn < 20_000 && count > atMost; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    count = countThreads()!;
  }
  return count;
}

const pools = isThorough ? 1000 : 12;

test(`${pools} pools, each made and ended, leave no thread`, async () => {
  const run = async (index: number) => {
    const stage = inWorkers<typeof import("./modules/square.ts")>(square, {
      ...{ threads: 1, idleMs: 0, name: `pool ${index}` },
    });
    assertEquals(await toArray([index], stage), [index * index]);
  };
  await run(0);
  await run(1);
  const before = countThreads();
  for (let index = 2; index < pools; index++) await run(index);
  if (before === undefined) return;
  // The runtimes keep a few threads of their own.
  const after = await countSettled(before + 2);
  assert(after <= before + 2, `${before} threads before, ${after} after`);
});

const chunkCount = isThorough ? 10_000_000 : 200_000;

test(`${chunkCount} chunks through threads hold no more than their blocks`, async () => {
  let [given, taken, most, sum] = [0, 0, 0, 0];
  function* source() {
    for (; given < chunkCount; given++) yield given % 1000;
  }
  const stage = inWorkers<typeof import("./modules/square.ts")>(square, {
    ...{ threads: 2, blockSize: 256, maxBlocks: 3 },
  });
  await pipeline(source(), stage, (chunk) => {
    taken++;
    sum += chunk;
    most = Math.max(most, given - taken);
  });
  const expected = Array.from({ length: 1000 }, (_, n) => n * n).reduce((one, two) => one + two) *
    (chunkCount / 1000);
  assertEquals([taken, sum], [chunkCount, expected]);
  assert(most <= 256 * 4 + 1, `${most} chunks were on their way`);
});
