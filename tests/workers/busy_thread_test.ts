import { Worker } from "node:worker_threads";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { leavesBusyThreads } from "../../src/workers/node_threads.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

test("Deno says that a busy thread has ended, and it goes on; Bun and Node end it", async () => {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(new URL("./modules/spin.ts", import.meta.url), { workerData: shared });
  const count = () => Atomics.load(shared, 0);
  while (count() === 0) await turn();
  await thread.terminate();
  try {
    const before = count();
    if (leavesBusyThreads) { while (count() === before) await turn(); }
    else for (let turns = 0; turns < 20; turns++) await turn();
    assertEquals(count() !== before, leavesBusyThreads);
  } finally {
    Atomics.store(shared, 1, 1);
  }
  assert(count() > 0);
});
