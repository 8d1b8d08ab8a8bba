import { Worker } from "node:worker_threads";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { leavesBusyThreads } from "../../src/workers/node_threads.ts";
import { pipeline, toArray } from "../../mod.ts";
import { inWorkers } from "../../src/workers/mod.ts";
import type { Point } from "./modules/points.ts";

const points = new URL("./modules/points.ts", import.meta.url);
const length = 7;
const chunks = Array.from({ length }, (_, index) => index);
const expected = chunks.flatMap((chunk) => [`${chunk} a`, `${chunk} b`]);

const all: readonly Point[] = (["before", "after", "waiting", "flush"] as const).flatMap((when) =>
  [0, 3, length - 1].map((chunk) => ({ chunk, when }))
);
const shapes = [
  { blockSize: 1, maxBlocks: 1, threads: 1 },
  { blockSize: 2, maxBlocks: 3, threads: 2 },
  { blockSize: 10, maxBlocks: 2, threads: 1 },
];

for (const point of all) {
  test(`a thread that ends ${point.when} chunk ${point.chunk} fails the run, and loses nothing before its block`, async () => {
    for (const { blockSize, maxBlocks, threads } of shapes) {
      const reasons: unknown[] = [];
      const given: string[] = [];
      let next = 0;
      const source = new ReadableStream<number>({
        pull(controller) {
          if (next < length) controller.enqueue(chunks[next++]!);
          else controller.close();
        },
        cancel: (reason) => void reasons.push(reason),
      }, { highWaterMark: 0 });
      const stage = inWorkers<typeof import("./modules/points.ts")>(points, {
        ...{ blockSize, maxBlocks, threads, perBlock: true, options: point, idleMs: 0 },
      });
      const error: unknown = await pipeline(source, stage, (chunk) => void given.push(chunk))
        .then(() => "ended", (reason) => reason);
      assert(error instanceof Error && error.message.startsWith("A thread is gone: "), `${error}`);
      assert(next === length || reasons[0] === error);
      assertEquals(given, expected.slice(0, given.length));
      // The blocks before it have gone on whole.
      const before = Math.floor(point.chunk / blockSize) * blockSize * 2;
      assert(given.length >= (threads === 1 ? before : 0), `${given.length} given, ${before} due`);
    }
  });
}

test("a module that ends its thread as it starts fails each run anew, and hangs none", async () => {
  const stage = inWorkers(points, { options: { chunk: -1, when: "start" }, threads: 1, idleMs: 0 });
  for (let run = 0; run < 3; run++) {
    const error: unknown = await toArray([1], stage).catch((reason) => reason);
    assert(error instanceof Error, `${error}`);
  }
});

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
