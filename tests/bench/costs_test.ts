import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { contestants } from "../../bench/allocation/contestants.ts";
import type { Workload } from "../../bench/measure/workload.ts";
import { allocation } from "../../bench/allocation/workload.ts";
import { overlap } from "../../bench/overlap/workload.ts";
import { scheduling } from "../../bench/scheduling/workload.ts";
import { turns } from "../../bench/turns/workload.ts";
import { runCase } from "./_run_case.ts";

for (const { name, isZeroed, create } of contestants) {
  test(`allocation: ${name} gives buffers of the size asked for`, async () => {
    for (const sizeKiB of [1, 64]) {
      assertEquals(await runCase(allocation, name, { sizeKiB }), {
        chunks: 16,
        bytes: 16 * sizeKiB * 1024,
        digest: `16 buffers of ${sizeKiB * 1024} bytes`,
      });
    }
    if (isZeroed) assertEquals(Uint8Array.from(create(1000)(1000)), new Uint8Array(1000));
  });
}

for (const { name } of scheduling.contestants) {
  test(`scheduling: ${name} calls each task of a chain once`, async () => {
    assertEquals(await runCase(scheduling, name, { chain: 3 }), {
      chunks: 10,
      bytes: 0,
      digest: "30 calls",
    });
  });
}

for (const { name } of overlap.contestants) {
  test(`overlap: in ${name} both stages have a chunk at once, and keep the order`, async () => {
    assertEquals(await runCase(overlap, name, { count: 6, delayMs: 2 }), {
      chunks: 6,
      bytes: 0,
      digest: "6 in order",
      extra: { maxInFlight: 2 },
    });
  });
}

for (const { name } of turns.contestants) {
  test(`turns: ${name} ends, in order, and lets the timer fire`, async () => {
    const { chunks, digest, extra } = await runCase(turns, name, { durationMs: 600 });
    assert(chunks > 0);
    assertEquals(digest, "in order");
    assert(Number(extra!.firings) >= 2, `${extra!.firings} firings`);
  });
}

test("nothing is accepted that has not run", async () => {
  const cases: [Workload, Record<string, number>, string][] = [
    [allocation, { sizeKiB: 1 }, "alloc"],
    [scheduling, { chain: 1 }, "promise"],
    [overlap, { count: 1, delayMs: 1 }, "web"],
    [turns, { durationMs: 1 }, "pipeline_cheap"],
  ];
  for (const [workload, params, contestant] of cases) {
    const prepared = await workload.prepare({ contestant, params });
    await assertRejects(() => prepared.verify(), Error, `Cannot accept ${contestant}: `);
    await prepared.dispose();
  }
});
