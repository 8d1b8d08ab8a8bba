import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { QueueGauge } from "../../src/inspect/queue_gauge.ts";

/** A stream, its gauge and its controller; nothing is in its queue. */
function opened(highWaterMark: number) {
  const gauge = new QueueGauge();
  let controller!: ReadableStreamDefaultController<number>;
  const readable = new ReadableStream<number>({
    start(real) {
      controller = real;
      gauge.open(real);
    },
  }, { highWaterMark });
  return { gauge, controller, reader: readable.getReader() };
}

test("a queue is counted while it fills, while it is closed and while it is emptied, however often", async () => {
  for (const highWaterMark of [1, 2, 5]) {
    for (let count = 0; count <= highWaterMark + 2; count++) {
      const { gauge, controller, reader } = opened(highWaterMark);
      for (let n = 0; n < count; n++) {
        assertEquals(gauge.total(), n);
        controller.enqueue(n);
      }
      assertEquals([gauge.total(), gauge.total(), gauge.isClosing], [count, count, false]);
      gauge.close();
      gauge.close();
      assertEquals([gauge.total(), gauge.total(), gauge.isClosing], [count, count, true]);
      controller.close();
      // Once more, as one that closes and then ends does.
      gauge.close();
      assertEquals([gauge.total(), gauge.total()], [count, count]);
      for (let left = count - 1; left >= 0; left--) {
        await reader.read();
        // A closed queue says 0 when it is full and when it is empty; this one had no room in between.
        if (left === 0 && highWaterMark === 1) break;
        assertEquals([gauge.total(), gauge.total()], [left, left], `${left} of ${count}`);
      }
      await reader.closed;
      if (count === 0 || highWaterMark > 1) assertEquals(gauge.total(), 0);
    }
  }
});

test("a queue that has failed, was never opened or has no limit counts 0", async () => {
  const never = new QueueGauge();
  assertEquals([never.total(), never.highWaterMark], [0, undefined]);
  never.close();
  assertEquals(never.total(), 0);
  const endless = opened(Infinity);
  endless.controller.enqueue(1);
  assertEquals([endless.gauge.total(), endless.gauge.highWaterMark], [0, Infinity]);
  const failed = opened(4);
  failed.controller.enqueue(1);
  failed.controller.error("why");
  assertEquals([failed.gauge.total(), failed.gauge.highWaterMark], [0, 4]);
  await failed.reader.closed.catch(() => {});
});

test("a queue that had room when it was closed is known to be empty, asked before or not", async () => {
  for (const highWaterMark of [2, 3]) {
    for (let count = 0; count < highWaterMark; count++) {
      const { gauge, controller, reader } = opened(highWaterMark);
      for (let n = 0; n < count; n++) controller.enqueue(n);
      gauge.close();
      controller.close();
      for (let n = 0; n < count; n++) await reader.read();
      await reader.closed;
      assertEquals(gauge.total(), 0);
    }
  }
});

test("a queue that is cancelled is empty, full or not", async () => {
  for (const count of [0, 1, 3]) {
    const { gauge, controller, reader } = opened(3);
    for (let n = 0; n < count; n++) controller.enqueue(n);
    assertEquals(gauge.total(), count);
    gauge.cancel();
    await reader.cancel();
    assertEquals([gauge.total(), gauge.highWaterMark], [0, 3]);
  }
});
