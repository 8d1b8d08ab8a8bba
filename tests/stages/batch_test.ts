import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batchBy, groupBy, type KeyedBatch, map, pipeline } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const longMs = 1_000_000;

/** A native stream of the stage, with a default writer and reader at its ends. */
function open<I, O>(stage: Transformer<I, O>) {
  const { readable, writable } = new TransformStream(stage);
  return { defaultReader: readable.getReader(), defaultWriter: writable.getWriter() };
}

const parity = (n: number) => n % 2 === 0 ? "even" : "odd";

test("batchBy() keeps one timer for all its keys, and none when nothing waits", async () => {
  await withTimerCount(async (pending) => {
    const { defaultReader, defaultWriter } = open(
      batchBy(parity, 2, { maxWaitMs: longMs }),
    );
    const first = defaultReader.read();
    for (const n of [1, 2]) await defaultWriter.write(n);
    assertEquals(pending(), 1);
    await defaultWriter.write(3);
    assertEquals((await first).value, { key: "odd", chunks: [1, 3] });
    assertEquals(pending(), 1);
    const second = defaultReader.read();
    await defaultWriter.write(4);
    await second;
    assertEquals(pending(), 0);
    const third = defaultReader.read();
    await defaultWriter.write(5);
    assertEquals(pending(), 1);
    await defaultWriter.close();
    assertEquals([(await third).value, pending()], [{ key: "odd", chunks: [5] }, 0]);
  });
});

test("batchBy() leaves no timer when it fails by itself", async () => {
  const fail = () => {
    throw "why";
  };
  const keyed = (answer: () => unknown) => batchBy((n: number) => n < 3 ? n : answer(), 2, waits);
  const waits = { maxWaitMs: longMs };
  const badThen = Object.defineProperty({}, "then", { value: fail });
  const stages = [
    keyed(fail),
    keyed(() => Promise.reject("why")),
    keyed(() => badThen),
    // A second one makes a batch, for which the queue has no size.
    keyed(() => 1),
    keyed(() => Promise.resolve(1)),
  ];
  for (const stage of stages) {
    await withTimerCount(async (pending) => {
      const { readable, writable } = new TransformStream(stage, undefined, {
        highWaterMark: 5,
        size: fail,
      });
      const defaultWriter = writable.getWriter();
      for (const n of [1, 2]) await defaultWriter.write(n);
      assertEquals(pending(), 1);
      assertEquals(await errorOf(defaultWriter.write(3)), ["why"]);
      await Promise.all([defaultWriter.closed, readable.getReader().closed].map(errorOf));
      assertEquals(pending(), 0);
    });
  }
});

test("batchBy() fails the stream when the queue's size() throws in its timer", async () => {
  const strategy = {
    highWaterMark: 5,
    size() {
      throw undefined;
    },
  };
  const { readable, writable } = new TransformStream(
    batchBy(parity, 100, { maxWaitMs: 1 }),
    undefined,
    strategy,
  );
  const defaultWriter = writable.getWriter();
  await defaultWriter.write(1);
  assertEquals(await errorOf(defaultWriter.closed), [undefined]);
  assertEquals(await errorOf(readable.getReader().read()), [undefined]);
});

test("batchBy() waits just until the oldest is due, and looks for room again 10 ms later", () => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const { now } = performance;
  let nowMs = 1000;
  let timer: { readonly callback: () => void; readonly ms: number } | undefined;
  globalThis.setTimeout =
    ((callback: () => void, ms: number) =>
      timer = { callback, ms }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = (() => void (timer = undefined)) as typeof clearTimeout;
  performance.now = () => nowMs;
  const fire = () => {
    const { callback, ms } = timer!;
    nowMs += ms;
    timer = undefined;
    callback();
  };
  try {
    const out: [key: string, chunks: number[]][] = [];
    const controller = {
      desiredSize: 2,
      enqueue: ({ key, chunks }: KeyedBatch<string, number>) => void out.push([key, [...chunks]]),
    };
    const { start, transform, flush } = batchBy(parity, 3, { maxWaitMs: 100 });
    const given = controller as unknown as TransformStreamDefaultController<
      KeyedBatch<string, number>
    >;
    start?.(given);
    transform!(1, given);
    assertEquals(timer?.ms, 100);
    nowMs += 60;
    transform!(2, given);
    assertEquals([timer?.ms, out], [100, []]);
    nowMs -= 60;
    fire();
    assertEquals([timer?.ms, out.splice(0)], [60, [["odd", [1]]]]);
    // What is due waits for room, and goes on filling.
    controller.desiredSize = 0;
    fire();
    assertEquals([timer?.ms, out], [10, []]);
    transform!(4, given);
    fire();
    assertEquals([timer?.ms, out], [10, []]);
    controller.desiredSize = 1;
    fire();
    assertEquals([timer, out.splice(0)], [undefined, [["even", [2, 4]]]]);
    // A batch that is full goes on whatever the room, and its timer goes with it.
    controller.desiredSize = 0;
    for (const n of [1, 3]) transform!(n, given);
    assertEquals([timer!.ms, out], [100, []]);
    transform!(5, given);
    assertEquals([timer, out.splice(0)], [undefined, [["odd", [1, 3, 5]]]]);
    // With room again, what is due goes on with the next chunk, and what is not waits its time.
    transform!(7, given);
    nowMs += 70;
    transform!(8, given);
    nowMs -= 70;
    fire();
    assertEquals([timer!.ms, out], [10, []]);
    controller.desiredSize = 1;
    transform!(9, given);
    assertEquals([timer!.ms, out.splice(0)], [70, [["odd", [7, 9]]]]);
    flush!(given);
    assertEquals([timer, out], [undefined, [["even", [8]]]]);
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    performance.now = now;
  }
});

const keyOf = (n: number) => n % 5;
const chunks = Array.from({ length: 20 }, (_, n) => n);

test("a run counts what batchBy and groupBy ended for another key's sake, and says nothing of none", async () => {
  const keysEvictedOf = async (maxKeys: number) => {
    const batches = batchBy(keyOf, 4, { maxKeys });
    const groups = groupBy(keyOf, () => map((n: number) => n), { maxKeys });
    return [
      (await pipeline(chunks, batches, () => {})).keysEvicted,
      (await pipeline(chunks, groups, () => {})).keysEvicted,
      (await pipeline(
        chunks,
        batchBy(keyOf, 4, { maxKeys }),
        groupBy(({ key }) => key, () => map((one) => one), { maxKeys }),
        () => {},
      )).keysEvicted,
    ];
  };
  assertEquals(await keysEvictedOf(5), [undefined, undefined, undefined]);
  assertEquals(await keysEvictedOf(2), [18, 18, 36]);
});

test("batches go on in the order in which they were opened, however many there are", async () => {
  for (const maxKeys of [1, 3, 1000]) {
    const order: number[] = [];
    const keys = Array.from({ length: 5000 }, (_, n) => (n * 7919) % 2003);
    const expected: number[] = [];
    const open = new Map<number, number>();
    for (const key of keys) {
      if (!open.has(key) && open.size === maxKeys) {
        const [first] = open.keys();
        expected.push(first!);
        open.delete(first!);
      }
      const count = (open.get(key) ?? 0) + 1;
      open.set(key, count);
      if (count === 2) {
        expected.push(key);
        open.delete(key);
      }
    }
    expected.push(...open.keys());
    await pipeline(keys, batchBy((key) => key, 2, { maxKeys }), ({ key }) => void order.push(key));
    assertEquals(order, expected);
  }
});
