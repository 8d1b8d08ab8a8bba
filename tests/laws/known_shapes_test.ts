import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { batch, flatMap, fuse, pipeline, take } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import type { Stage } from "../lib/operator.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";
import { connectingWays } from "../lib/ways.ts";

const identity = (): Stage => ({
  transform(chunk, controller) {
    controller.enqueue(chunk);
  },
});

for (const way of connectingWays) {
  test(`${way.name}: a pipe aborted with preventCancel loses no chunk that it did not deliver`, async () => {
    const count = 20;
    const source = countedSource({ length: count });
    const readable = way.connect(source.readable, [identity(), identity()]);
    const abort = new AbortController();
    const first = keepingSink();
    const writable = new WritableStream<unknown>({
      write(chunk) {
        first.chunks.push(chunk);
        if (first.chunks.length === 5) abort.abort();
      },
    });
    const { signal } = abort;
    const error = await errorOf(readable.pipeTo(writable, { preventCancel: true, signal }));
    assertEquals(error, [signal.reason]);
    assert(first.chunks.length < count, "aborted too late to tell anything");
    const rest = await Array.fromAsync(readable);
    assertEquals([...first.chunks, ...rest], range(count));
  });

  test(`${way.name}: a chain that nobody reads reads no more than its queues hold`, async () => {
    const source = countedSource();
    const stages = range(5).map(identity);
    const readable = way.connect(source.readable, stages);
    await turns();
    assert(source.readCount <= way.sumOfMarks(5), `read ${source.readCount} chunks`);
    await readable.cancel();
  });
}

test("an endless flatMap is stopped by a take after it", async () => {
  let count = 0;
  let isClosed = false;
  const endless = () =>
    flatMap(function* () {
      try {
        while (true) yield count++;
      } finally {
        isClosed = true;
      }
    });
  const chunks: unknown[] = [];
  await pipeline([0], endless(), take(3), (chunk: unknown) => void chunks.push(chunk));
  assertEquals([chunks, isClosed], [[0, 1, 2], true]);
  assert(count < 1000, `made ${count} chunks`);

  count = 0;
  isClosed = false;
  const source = countedSource();
  const readable = source.readable.pipeThrough(fuse(endless(), take(3)));
  assertEquals(await Array.fromAsync(readable), [0, 1, 2]);
  await turns();
  assertEquals(isClosed, true);
  assert(count < 1000, `made ${count} chunks`);
});

for (const way of connectingWays) {
  test(`${way.name}: a failure of the source comes after what an iterator still gives to a slow reader`, async () => {
    const reason = new Error("late");
    const source = countedSource({ length: 2, atEnd: { reason } });
    // More than the engine takes from an iterator at a time.
    const size = 300;
    const many = flatMap(function* (n) {
      for (const i of range(size)) yield size * (n as number) + i;
    });
    const chunks: unknown[] = [];
    const error = await errorOf((async () => {
      for await (const chunk of way.connect(source.readable, [many])) {
        if (chunks.push(chunk) % 100 === 1) await turns(1);
      }
    })());
    assertEquals(error, [reason]);
    // The native chain may drop what its last queue holds.
    if (way.name === "fuse") assertEquals(chunks, range(2 * size));
    else assertEquals(chunks, range(chunks.length));
  });
}

test("a batch that waits when the source fails is lost, and its timer with it", async () => {
  const reason = new Error("late");
  const source = countedSource({ length: 5, atEnd: { reason } });
  const sink = keepingSink();
  const run = pipeline(source.readable, batch(3, { maxWaitMs: 3_600_000 }), sink.writable);
  assertEquals(await errorOf(run), [reason]);
  assertEquals(sink.chunks, [[0, 1, 2]]);
});

test("a pipeline that gives up its turn while chunks wait keeps their order", async () => {
  const spin = (milliseconds: number) => {
    const endMs = performance.now() + milliseconds;
    while (performance.now() < endMs);
  };
  const chunks: unknown[] = [];
  const bursts: Transformer<number, number> = {
    async transform(n, controller) {
      for (let i = 0; i < 20; i++) {
        await undefined;
        controller.enqueue(20 * n + i);
      }
    },
  };
  await pipeline(range(5), bursts, async (chunk) => {
    chunks.push(chunk);
    // A slow sink lets chunks wait, and a busy one ends the turn meanwhile.
    for (let i = 0; i < 5; i++) await undefined;
    spin(3);
  });
  assertEquals(chunks, range(100));
});
