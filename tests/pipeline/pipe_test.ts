import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { map, pipeline } from "@hosepipe/streams";
import { range } from "../lib/range.ts";
import { turnsDuring } from "../lib/turns.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

/** What a pipeline with these stages does at its two ends, in order. */
async function watchEnds(stages: readonly Transformer[], highWaterMark: number): Promise<string[]> {
  const seen: string[] = [];
  let next = 0;
  const source = new ReadableStream({
    pull(controller) {
      seen.push(`pull ${next}`);
      if (next < 5) controller.enqueue(next++);
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const sink = new WritableStream({
    async write(chunk) {
      seen.push(`write ${chunk}`);
      await undefined;
    },
    close: () => void seen.push("close"),
  }, { highWaterMark });
  const { now } = performance;
  // No time passes: on a busy machine a turn would be over in between.
  performance.now = () => 1_000;
  try {
    const { chunksRead, chunksWritten } = await pipeline(source, ...stages as [], sink);
    return [...seen, `${chunksRead} read, ${chunksWritten} written`];
  } finally {
    performance.now = now;
  }
}

for (const highWaterMark of [1, 2, 7, Infinity]) {
  test(`a pipeline without a stage reads and writes as one with a stage does, into ${highWaterMark}`, async () => {
    const [without, withOne] = await withStoppedClock(async () => [
      await watchEnds([], highWaterMark),
      await watchEnds([map((chunk: unknown) => chunk)], highWaterMark),
    ]);
    assertEquals(without, withOne);
  });
}

test("a pipeline without a stage asks its iterator for nothing more once its sink has thrown", async () => {
  const asked: number[] = [];
  let isClosed = false;
  function* numbers() {
    try {
      for (const n of range(10)) {
        asked.push(n);
        yield n;
      }
    } finally {
      isClosed = true;
    }
  }
  const sink = (n: number) => {
    if (n === 3) throw new Error("full");
  };
  await assertRejects(() => pipeline(numbers(), sink), Error, "full");
  assertEquals([asked, isClosed], [range(4), true]);
});

test("a pipeline without a stage goes on with what its sink's own promises let through, one at a time", async () => {
  let running = 0;
  let most = 0;
  const written: number[] = [];
  const { chunksWritten } = await pipeline(range(20), async (n: number) => {
    most = Math.max(most, ++running);
    await undefined;
    running--;
    written.push(n);
  });
  assertEquals([most, chunksWritten, written], [1, 20, range(20)]);
});

test("the event loop has its turn while a pipeline without a stage runs", async () => {
  let sum = 0;
  const turns = await turnsDuring(() => pipeline(range(2_000_000), (n: number) => void (sum += n)));
  assertEquals([turns >= 1, sum], [true, 1_999_999 * 1_000_000]);
});
