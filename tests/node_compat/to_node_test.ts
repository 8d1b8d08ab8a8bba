import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { pipeline, reader, toNode } from "@hosepipe/streams/node";
import { errorOf, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

test("a writable that is closed, or is being closed, fails a write, and may be ended", async () => {
  for (const isOver of [true, false]) {
    for (const [chunks, isLost] of [[[1], true], [[1, 2, 3], true], [[], false]] as const) {
      const writable = new WritableStream({}, { highWaterMark: 3 });
      const closing = writable.getWriter();
      const closed = closing.close();
      if (isOver) await closed;
      closing.releaseLock();
      const run = pipeline(chunks, toNode(writable));
      if (isLost) {
        const { reason } = await rejection(run);
        assertEquals(String(reason), "TypeError: Cannot write: the stream is closed");
      } else await run;
      assertEquals(writable.locked, false);
    }
  }
});

test("a pair that terminates ends early: all is delivered, and its endless source destroyed", async () => {
  for (const isLate of [false, true]) {
    let taken = 0;
    const pair = new TransformStream({
      transform: async (chunk, controller) => {
        controller.enqueue(chunk);
        if (++taken === 3) controller.terminate();
        if (isLate) await settle();
      },
    });
    const source = reader(function* () {
      for (let number = 1;; number++) yield number;
    }());
    const written: number[] = [];
    await pipeline(source, toNode(pair), async (chunk: number) => {
      await settle();
      written.push(chunk);
    });
    assertEquals([written, source.closed], [[1, 2, 3], true]);
  }
});

test("a writable that hangs in its close hears that the node stream is destroyed", async () => {
  let controller!: WritableStreamDefaultController;
  const stream = toNode(
    new WritableStream({
      start: (given) => void (controller = given),
      close: () => new Promise(() => {}),
    }),
  );
  stream.on("error", () => {}).end();
  await settle();
  assertEquals(controller.signal.aborted, false);
  stream.destroy(new Error("enough"));
  await settle();
  assertEquals((controller.signal.reason as Error).message, "enough");
});

test("a pair that has terminated takes and drops what waits and what still comes, read or not, and then ends", async () => {
  for (const waits of [true, false]) {
    const transformed: unknown[] = [];
    const pair = new TransformStream(
      {
        transform(chunk, controller) {
          transformed.push(chunk);
          controller.enqueue(chunk);
          controller.terminate();
        },
      },
      undefined,
      { highWaterMark: 5 },
    );
    const stream = toNode(pair, { highWaterMark: 9 });
    for (const chunk of [1, 2, 3]) {
      stream.write(chunk);
      if (!waits) await settle();
    }
    assertEquals(stream.destroyed, false);
    assertEquals([await stream.toArray(), transformed, stream.errored], [[1], [1], null]);
  }
});

test("a pair whose writable alone fails is destroyed, even with a TypeError, once it is read", async () => {
  const open = (cancel: (reason: unknown) => void) => new ReadableStream({ cancel });
  const lazy = (cancel: (reason: unknown) => void) =>
    new ReadableStream({ pull() {}, cancel }, { highWaterMark: 0 });
  for (const reason of [new TypeError("boom"), new Error("boom"), undefined]) {
    // One that ends while the other fails with a TypeError has ended early.
    const ended = reason instanceof TypeError ? [] : [() => ReadableStream.from([])];
    for (const make of [open, lazy, ...ended]) {
      for (const isReadFirst of [true, false]) {
        const told: unknown[] = [];
        const stream = toNode({
          readable: make((value) => void told.push(value)),
          writable: new WritableStream({
            write: () => settle().then(() => Promise.reject(reason)),
          }),
        });
        const error = errorOf(stream);
        if (isReadFirst) stream.resume();
        stream.write(1);
        for (let turn = 0; turn < 3; turn++) await settle();
        if (!isReadFirst) assertEquals(stream.destroyed, !(reason instanceof TypeError));
        stream.resume();
        assertStrictEquals(await error, reason);
        assertEquals(told, make === open || make === lazy ? [reason] : []);
      }
    }
  }
});

test("a pair whose readable still gives after a TypeError of its writable may yet end early", async () => {
  let output!: ReadableStreamDefaultController;
  let input!: WritableStreamDefaultController;
  const stream = toNode({
    readable: new ReadableStream({ start: (given) => void (output = given) }),
    writable: new WritableStream({ start: (given) => void (input = given) }),
  });
  const chunks: unknown[] = [];
  stream.read(0);
  await settle();
  input.error(new TypeError("terminated"));
  await Promise.resolve();
  output.enqueue(1);
  for (let turn = 0; turn < 3; turn++) await settle();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(stream.destroyed, false);
  output.close();
  for await (const chunk of stream) chunks.push(chunk);
  assertEquals([chunks, stream.errored], [[1], null]);
});

test("destroying a transform stream without a reason, at any moment, is no error", async () => {
  for (const dictionary of [{}, { transform: () => new Promise<never>(() => {}) }]) {
    for (const isUsed of [false, true]) {
      for (const isRead of [false, true]) {
        const stream = toNode(new TransformStream(dictionary));
        const errors: unknown[] = [];
        stream.on("error", (error) => errors.push(error));
        if (isUsed) { for (const chunk of [1, 2, 3]) stream.write(chunk); }
        if (isRead) stream.resume();
        await settle();
        stream.destroy();
        await settle();
        const hangs = "transform" in dictionary && isUsed && isRead;
        assertEquals([errors, stream.closed], [[], !hangs]);
      }
    }
  }
});

test("refuses what is locked before it touches anything", () => {
  const [readable, writable] = [new ReadableStream(), new WritableStream()];
  const locked = [new ReadableStream(), new WritableStream()] as const;
  locked[0].getReader();
  locked[1].getWriter();
  const cases = [...locked, { readable, writable: locked[1] }, { readable: locked[0], writable }];
  for (const stream of cases) {
    assertThrows(
      () => toNode(stream as ReadableStream),
      TypeError,
      "Cannot convert to node: the stream is locked",
    );
  }
  assertEquals([readable.locked, writable.locked], [false, false]);
});

test("a Web stream is locked until its node stream is destroyed", async () => {
  for (const web of [new ReadableStream(), new WritableStream()]) {
    const stream = toNode(web as ReadableStream);
    assertEquals(web.locked, true);
    stream.destroy();
    await settle();
    assertEquals(web.locked, false);
  }
});
