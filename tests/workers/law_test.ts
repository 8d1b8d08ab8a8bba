import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import process from "node:process";
import { compose, pipeline, toArray } from "../../mod.ts";
import type { Transformer } from "../../src/web_types.ts";
import { inWorkers, type InWorkersOptions } from "../../src/workers/mod.ts";
import { makeStages, type Step } from "./modules/law.ts";
import { draws } from "../lib/thorough.ts";
import { Worker } from "node:worker_threads";
import { leavesBusyThreads } from "../../src/workers/node_threads.ts";
import type { Point } from "./modules/points.ts";

const law = new URL("./modules/law.ts", import.meta.url);
const runs = draws(40);

interface Program {
  readonly steps: readonly Step[];
  readonly blockSize: number;
  readonly maxBlocks: number;
  readonly threads: number;
  readonly perBlock: boolean;
  /** After how many chunks the sink fails; never if there are fewer. */
  readonly sinkFails: number;
  /** After how many chunks the signal aborts. */
  readonly aborts: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ gives: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ gives: fc.constant(1), waits: fc.constant(true) }) },
  {
    weight: 1,
    arbitrary: fc.record({ gives: fc.constant(2), fails: fc.constantFrom("throws", "rejects") }),
  },
);

const program: fc.Arbitrary<Program> = fc.record({
  steps: fc.array(step, { maxLength: 30 }),
  blockSize: fc.integer({ min: 1, max: 8 }),
  maxBlocks: fc.integer({ min: 1, max: 5 }),
  threads: fc.integer({ min: 1, max: 2 }),
  perBlock: fc.boolean(),
  sinkFails: fc.integer({ min: 1, max: 60 }),
  aborts: fc.integer({ min: 1, max: 90 }),
});

/** What a run gives, and how it ends. */
async function watch(
  { steps, sinkFails, aborts }: Program,
  stages: readonly Transformer<never, unknown>[],
): Promise<[unknown[], string]> {
  const written: unknown[] = [];
  const stop = new AbortController();
  const write = (chunk: unknown) => {
    written.push(chunk);
    if (written.length === sinkFails) throw new Error("the sink");
    if (written.length === aborts) stop.abort(new Error("the signal"));
  };
  const end = await pipeline(
    steps.map((step, index) => ({ ...step, index })),
    compose(stages as readonly Transformer<unknown, unknown>[]),
    write,
    { signal: stop.signal },
  ).then(() => "ended", (reason) => String(reason));
  return [written, end];
}

test("inWorkers is its definition: each block a stream through the stages, in their order", async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      if (process.env.SHOW) console.log(JSON.stringify(given));
      const { blockSize, maxBlocks, threads, perBlock } = given;
      const options: InWorkersOptions = { blockSize, maxBlocks, threads, perBlock };
      const expected = await watch(given, makeStages());
      const stage = inWorkers<typeof import("./modules/law.ts")>(law, options);
      assertEquals(await watch(given, [stage]), expected);
    }),
    { numRuns: runs },
  );
});

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
