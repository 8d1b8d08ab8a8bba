import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { filter, flatMap, map, pipeline, tap } from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { turnsDuring } from "../lib/turns.ts";

/** Whether a run ends while only microtasks run, and no time passes. */
async function isQuick(run: () => Promise<unknown>): Promise<boolean> {
  const { now } = performance;
  let isSettled = false;
  performance.now = () => 1_000;
  try {
    run().finally(() => isSettled = true).catch(() => {});
    for (let count = 0; count < 200 && !isSettled; count++) await undefined;
    return isSettled;
  } finally {
    performance.now = now;
  }
}

test("a run without a stage ends without a turn of the event loop, whatever waits", async () => {
  const written: number[] = [];
  const write = (n: number): void => void written.push(n);
  const writeLater = async (n: number) => {
    await undefined;
    write(n);
  };
  const sinks = {
    "a function": () => write,
    "one that waits": () => writeLater,
    "a stream": () => new WritableStream({ write }),
  };
  const sources = {
    "an array": () => [1, 2, 3],
    "promises": () => [1, 2, 3].map((n) => Promise.resolve(n)),
    "a stream": () => from([1, 2, 3]),
  };
  for (const [sourceName, source] of Object.entries(sources)) {
    for (const [sinkName, sink] of Object.entries(sinks)) {
      written.length = 0;
      const isDone = await isQuick(() => pipeline(source() as number[], sink() as typeof write));
      assertEquals([isDone, written], [true, [1, 2, 3]], `${sourceName} into ${sinkName}`);
    }
  }
});

test("a short run whose parts answer by promises ends without a turn of the event loop", async () => {
  const later = async (n: number) => {
    await undefined;
    return n;
  };
  const ends = {
    async transform(n: number, controller: TransformStreamDefaultController<number>) {
      await undefined;
      controller.enqueue(n);
    },
    async flush(controller: TransformStreamDefaultController<number>) {
      await undefined;
      controller.enqueue(9);
    },
  };
  const written: number[] = [];
  const write = async (n: number) => {
    await undefined;
    written.push(n);
  };
  const runs: Record<string, () => Promise<unknown>> = {
    "a stage": () => pipeline([1, 2], map(later), ends, map(later), (n) => void written.push(n)),
    "a sink": () => pipeline([1, 2], ends, write),
    "a source": () => pipeline([later(1), later(2)], map((n: number) => n), ends, write),
    "an asynchronous source": () =>
      pipeline(
        (async function* () {
          yield 1;
          yield await later(2);
        })(),
        ends,
        write,
      ),
  };
  for (const [name, run] of Object.entries(runs)) {
    written.length = 0;
    assertEquals([await isQuick(run), written], [true, [1, 2, 9]], name);
  }
});

test("the event loop has its turn within one array of flatMap, many times", async () => {
  const large = range(3_000_000);
  let sum = 0;
  const chunks = [1];
  const turns = await turnsDuring(() =>
    pipeline(chunks, flatMap(() => large), map((n: number) => n + 1), filter((n) => n > 0), (n) => {
      sum += n;
    })
  );
  assertEquals(sum, 3_000_000 * 3_000_001 / 2);
  // Three million calls of three functions take more than 20 ms on any machine.
  assert(turns >= 3, `${turns} turns`);
});

test("the event loop has its turn while a stage enqueues one by one, and while nothing gets through", async () => {
  const turns = await turnsDuring(() =>
    pipeline(range(2_000_000), filter(() => false), tap(() => {}), () => {})
  );
  assert(turns >= 2, `${turns} turns`);
});
