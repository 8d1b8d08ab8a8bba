import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Readable } from "node:stream";
import { test } from "node:test";
import { sourceReadable } from "../../node_compat/source_side.ts";
import { errorOf, reasons } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

type Controller = ReadableStreamDefaultController<unknown>;

/** Gives 1, 2, 3 and so on, `perPull` at a time, and counts. */
function counter(perPull: number, end = Infinity, wait?: () => Promise<void>) {
  const record = { pulls: 0, atOnce: 0, most: 0, given: 0, told: [] as unknown[] };
  return {
    record,
    source: {
      pull(controller: Controller): void | Promise<void> {
        record.pulls++;
        record.most = Math.max(record.most, ++record.atOnce);
        const give = (): void => {
          record.atOnce--;
          for (let count = 0; count < perPull; count++) {
            if (record.given === end) return controller.close();
            controller.enqueue(++record.given);
          }
        };
        return wait === undefined ? give() : wait().then(give);
      },
      cancel: (reason: unknown) => void record.told.push(reason),
    },
  };
}

test("every chunk arrives once and in order, whatever the mark, the burst and the way of reading", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    for (const perPull of [1, 2, 7]) {
      for (const wait of [undefined, () => Promise.resolve(), settle]) {
        const open = () => {
          const { source, record } = counter(perPull, 30, wait);
          return { stream: sourceReadable(source, highWaterMark), record };
        };
        const expected = Array.from({ length: 30 }, (_, index) => index + 1);
        const iterated = open();
        assertEquals(await iterated.stream.toArray(), expected);
        assertEquals(iterated.record.most, 1, "one pull at a time");
        const flowing = open();
        const chunks: unknown[] = [];
        flowing.stream.on("data", (chunk) => {
          chunks.push(chunk);
          // Read within: Node may ask for more in the midst of a burst.
          if (chunk % 3 === 0) {
            const more = flowing.stream.read();
            if (more !== null) assertEquals(chunks.at(-1), more);
          }
        });
        await new Promise((resolve) => flowing.stream.on("end", resolve));
        assertEquals([chunks, flowing.record.most], [expected, 1]);
      }
    }
  }
});

test("what is asked for in the midst of a burst is answered by the burst", async () => {
  const { source, record } = counter(3);
  const stream = sourceReadable(source, 16);
  const { push } = stream;
  stream.push = (chunk) => {
    const wantsMore = push.call(stream, chunk);
    if (record.given === 1) stream.read(0);
    return wantsMore;
  };
  stream.read(0);
  assertEquals([record.pulls, stream.readableLength], [1, 3]);
  await settle();
  assertEquals([record.pulls, stream.readableLength], [6, 18]);
  stream.destroy();
});

test("what is asked for while a pull ends is not forgotten", async () => {
  let pulls = 0;
  const stream = sourceReadable({
    async pull(controller) {
      controller.enqueue(++pulls);
      // The chunk is there and the pull still runs: Node asks again meanwhile.
      await settle();
      if (pulls === 3) controller.close();
    },
  }, 2);
  assertEquals(await stream.toArray(), [1, 2, 3]);
});

test("nothing is pulled before start has finished, and start may enqueue and fail", async () => {
  const log: string[] = [];
  const stream = sourceReadable({
    async start(controller) {
      log.push("start");
      controller.enqueue(0);
      await settle();
      log.push("started");
    },
    pull(controller) {
      log.push("pull");
      controller.close();
    },
  }, 4);
  assertEquals(await stream.toArray(), [0]);
  assertEquals(log, ["start", "started", "pull"]);
  for (const reason of reasons) {
    const failing = sourceReadable({ start: () => Promise.reject(reason) }, 1);
    assertStrictEquals(await errorOf(failing.resume()), reason);
    const message = () =>
      sourceReadable({
        start() {
          throw reason ?? new Error("undefined");
        },
      }, 1);
    if (reason instanceof Error) assertThrows(message, Error, "boom");
  }
});

test("a source that gives nothing when pulled may give when it likes", async () => {
  let controller!: Controller;
  const stream = sourceReadable({ start: (given) => void (controller = given) }, 2);
  const all = stream.toArray();
  await settle();
  assertEquals(controller.desiredSize, 2);
  for (const chunk of [1, 2, 3]) controller.enqueue(chunk);
  await settle();
  controller.enqueue(4);
  controller.close();
  assertEquals(controller.desiredSize, 0);
  assertThrows(() => controller.enqueue(5), TypeError, "Cannot enqueue: the stream has ended");
  assertEquals(await all, [1, 2, 3, 4]);
});

test("after the end, an error or a destroy nothing is enqueued, pulled or told", async () => {
  for (const end of ["close", "error", "destroy", "pull"] as const) {
    let controller!: Controller;
    let pulls = 0;
    const told: unknown[] = [];
    const stream = sourceReadable({
      start: (given) => void (controller = given),
      pull() {
        pulls++;
        if (end === "pull") throw new Error("pull");
      },
      cancel: (reason) => void told.push(reason),
    }, 1);
    stream.on("error", () => {}).resume();
    await settle();
    if (end === "close") controller.close();
    if (end === "error") controller.error(new Error("error"));
    if (end === "destroy") stream.destroy();
    await settle();
    const before = pulls;
    assertThrows(() => controller.enqueue(1), TypeError);
    controller.error(new Error("later"));
    controller.close();
    stream.read();
    stream.destroy(new Error("later still"));
    await settle();
    assertEquals([pulls, stream.closed], [before, true], end);
    assertEquals(told, end === "destroy" ? [undefined] : [], end);
    if (end === "error" || end === "pull") assertEquals(stream.errored?.message, end);
  }
});

test("a failing cancel is the error of a destroy that had none, at once or later", async () => {
  for (const reason of reasons) {
    const ways = [
      () => Promise.reject(reason),
      () => {
        throw reason;
      },
    ];
    for (const cancel of ways) {
      const stream = sourceReadable({ cancel }, 1);
      const error = errorOf(stream);
      stream.destroy();
      assertStrictEquals(await error, reason);
      const first = new Error("first");
      const destroyed = sourceReadable({ cancel }, 1);
      const itsError = errorOf(destroyed);
      destroyed.destroy(first);
      assertStrictEquals(await itsError, first);
    }
  }
});

test("destroyed by who hears of a chunk, in the midst of a burst, it gives no more than by hand", async () => {
  const heardOf = async (stream: Readable): Promise<unknown[]> => {
    const chunks: unknown[] = [];
    stream.on("data", (chunk) => {
      chunks.push(chunk);
      if (chunk === 3) stream.destroy();
    });
    await new Promise((resolve) => stream.on("close", resolve));
    await settle();
    return chunks;
  };
  for (const wait of [undefined, settle]) {
    const { source, record } = counter(10, Infinity, wait);
    const chunks = await heardOf(sourceReadable(source, 1));
    const byHand = new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        const give = () => {
          for (let chunk = 1; chunk <= 10; chunk++) this.push(chunk);
        };
        if (wait === undefined) give();
        else wait().then(give);
      },
    });
    assertEquals([chunks, record.told.length], [await heardOf(byHand), 1]);
  }
});

test("a source's controller has no room left once its stream has ended or failed", async () => {
  for (const end of ["close", "error"] as const) {
    let controller!: Controller;
    const start = (given: Controller) => void (controller = given);
    const stream = sourceReadable({ start }, 3);
    stream.on("error", () => {});
    assertEquals(controller.desiredSize, 3);
    controller.enqueue(1);
    assertEquals(controller.desiredSize, 2);
    controller[end]();
    assertEquals(controller.desiredSize, 0, end);
    assertThrows(() => controller.enqueue(2), TypeError);
    stream.destroy();
    await settle();
  }
});
