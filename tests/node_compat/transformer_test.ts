import { assertEquals, assertInstanceOf, assertStrictEquals, assertThrows } from "@std/assert";
import type { Transform } from "node:stream";
import { test } from "node:test";
import { reader, transformer } from "@hosepipe/streams/node";
import { errorOf, reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

test("calls start, transform and flush of the dictionary, in order and on it", async () => {
  for (const wait of [undefined, Promise.resolve()]) {
    const log: unknown[] = [];
    const dictionary: Transformer<number, number> = {
      start() {
        log.push(["start", this === dictionary]);
        return wait;
      },
      transform(chunk, controller) {
        log.push(["transform", this === dictionary, chunk]);
        controller.enqueue(chunk * 10);
        return wait;
      },
      flush(controller) {
        log.push(["flush", this === dictionary]);
        controller.enqueue(99);
        return wait;
      },
      cancel() {
        log.push("cancel");
      },
    };
    assertEquals(await reader([1, 2]).pipe(transformer(dictionary)).toArray(), [10, 20, 99]);
    assertEquals(log, [
      ["start", true],
      ["transform", true, 1],
      ["transform", true, 2],
      ["flush", true],
    ]);
  }
});

test("the state of `desiredSize` is that of the outgoing buffer", () => {
  const sizes: unknown[] = [];
  let controller: TransformStreamDefaultController | undefined;
  const stream = transformer({
    start: (given) => void (controller = given),
    transform: (chunk, { enqueue }) => {
      sizes.push(controller!.desiredSize);
      enqueue(chunk);
      sizes.push(controller!.desiredSize);
    },
  }, { readableHighWaterMark: 3 });
  stream.write(1);
  assertEquals(sizes, [3, 2]);
  stream.on("error", () => {});
  stream.destroy(new Error("enough"));
  assertEquals(controller!.desiredSize, null);
});

test("fails with the very value that start, transform, flush or the controller gives", async () => {
  for (const reason of reasons) {
    assertStrictEquals(
      (await rejection((async () => {
        transformer({
          start() {
            throw reason;
          },
        });
        await settle();
      })())).reason,
      reason,
    );
    const fail = () => {
      throw reason;
    };
    const failLater = () => Promise.reject(reason);
    const dictionaries: Transformer[] = [
      { start: failLater },
      { transform: fail },
      { transform: failLater },
      { flush: fail },
      { flush: failLater },
      { transform: (_, controller) => controller.error(reason) },
      { start: (controller) => controller.error(reason) },
    ];
    for (const dictionary of dictionaries) {
      let cancels = 0;
      const stream = transformer({ ...dictionary, cancel: () => void cancels++ });
      const error = errorOf(stream);
      reader([1, 2, 3]).pipe(stream).resume();
      assertStrictEquals(await error, reason);
      assertEquals([stream.destroyed, cancels], [true, 0]);
    }
  }
});

test("destroying it calls cancel once, with the reason, and waits for it", async () => {
  for (const reason of [new Error("enough"), "enough", undefined]) {
    const told: unknown[] = [];
    let finish = (): void => {};
    const stream = transformer({
      cancel: (value) => {
        told.push(value);
        return new Promise((resolve) => finish = resolve);
      },
    });
    stream.on("error", () => {});
    stream.destroy(reason as Error);
    await settle();
    assertEquals([told, stream.closed], [[reason], false]);
    finish();
    await settle();
    assertEquals(stream.closed, true);
  }
});

function take(count: number): Transform {
  return transformer({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      if (--count === 0) controller.terminate();
    },
  });
}

test("terminate ends the output and destroys everything before it, an endless source too", async () => {
  let reads = 0;
  let cancels = 0;
  const source = reader(function* () {
    while (true) yield ++reads;
  }());
  const before = transformer({ cancel: () => void cancels++ });
  const early = take(3);
  assertEquals(await source.pipe(before).pipe(early).toArray(), [1, 2, 3]);
  await settle();
  assertEquals([source.closed, before.closed, early.closed, cancels], [true, true, true, 1]);
  assertEquals(reads <= 3 + 4, true);
});

test("terminate leaves alone what was unpiped before, and stops what is piped in later", async () => {
  const early = take(1);
  const [left, piped, late] = [0, 1, 2].map(() => reader(() => settle().then(() => [1])));
  left!.pipe(early);
  left!.unpipe(early);
  piped!.pipe(early).resume();
  await new Promise((resolve) => early.on("end", resolve));
  await settle();
  assertEquals([left!.destroyed, piped!.destroyed], [false, true]);
  late!.pipe(early);
  assertEquals(late!.destroyed, true);
  left!.destroy();
});

test("terminate stops all that is piped in, through any stream between", async () => {
  const sources = [reader(() => [1]), reader(() => [2])];
  const before = transformer({});
  const early = take(1);
  sources[0]!.pipe(before).pipe(early);
  sources[1]!.pipe(early);
  await early.toArray();
  await settle();
  assertEquals([...sources, before].map(({ destroyed }) => destroyed), [true, true, true]);
});

test("terminate in start or flush ends it, too", async () => {
  const inStart = transformer({ start: (controller) => controller.terminate() });
  const source = reader([1, 2, 3]);
  assertEquals(await source.pipe(inStart).toArray(), []);
  await settle();
  assertEquals([source.destroyed, inStart.closed], [true, true]);
  const inFlush = transformer({
    flush: (controller) => {
      controller.enqueue(9);
      controller.terminate();
    },
  });
  assertEquals(await reader([1]).pipe(inFlush).toArray(), [1, 9]);
});

test("transforms nothing before start has finished", async () => {
  const log: unknown[] = [];
  const stream = transformer({
    start: async () => {
      await settle();
      log.push("started");
    },
    transform: (chunk) => void log.push(chunk),
    flush: () => void log.push("flush"),
  });
  stream.resume().end(1);
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals(log, ["started", 1, "flush"]);
});

test("a controller that is kept tells that its stream has ended or failed, at once", async () => {
  const ends: Record<string, [Transformer, unknown]> = {
    "flushed": [{}, 0],
    "terminated": [{ transform: (_, controller) => controller.terminate() }, 0],
    "failed": [{
      transform() {
        throw new Error("boom");
      },
    }, null],
    "errored": [{ transform: (_, controller) => controller.error(new Error("boom")) }, null],
  };
  for (const [name, [dictionary, desiredSize]] of Object.entries(ends)) {
    let controller!: TransformStreamDefaultController;
    const stream = transformer({ ...dictionary, start: (given) => void (controller = given) });
    stream.on("error", () => {});
    if (name === "flushed") stream.end();
    else stream.write(1);
    if (name === "flushed") await settle();
    assertEquals(controller.desiredSize, desiredSize, name);
    assertThrows(() => controller.enqueue(1), TypeError, "the transformer has ended or failed");
    controller.terminate();
    controller.error(new Error("later"));
    await settle();
    assertEquals(stream.errored?.message, desiredSize === null ? "boom" : undefined, name);
    stream.destroy();
  }
});

test("after terminate, what waits in the incoming buffer is not transformed", async () => {
  const log: unknown[] = [];
  const stream = transformer({
    transform: async (chunk, controller) => {
      log.push(chunk);
      await settle();
      controller.terminate();
    },
    flush: () => void log.push("flush"),
  }, { writableHighWaterMark: 5 });
  for (const chunk of [1, 2, 3]) stream.write(chunk);
  await new Promise((resolve) => stream.resume().on("close", resolve));
  assertEquals(log, [1]);
});

test("after terminate, flush is not called, and neither is cancel", async () => {
  const log: string[] = [];
  const stream = transformer<number, number>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      controller.terminate();
    },
    flush: () => void log.push("flush"),
    cancel: () => void log.push("cancel"),
  });
  stream.on("error", () => {});
  stream.write(1);
  stream.end();
  assertEquals(await stream.toArray(), [1]);
  await settle();
  stream.destroy();
  await settle();
  assertEquals(log, []);
});

test("after terminate, enqueue throws and writes fail", async () => {
  const stream = transformer({
    transform: (_, controller) => {
      controller.terminate();
      controller.enqueue(1);
    },
  });
  const error = errorOf(stream);
  stream.write(1);
  assertEquals(
    (await error as Error).message,
    "Cannot enqueue: the transformer has ended or failed",
  );
  const ended = take(1);
  ended.on("error", () => {}).write(1);
  const failed = await new Promise<unknown>((resolve) => ended.write(2, resolve)) as {
    code: string;
  };
  assertEquals(failed.code, "ERR_STREAM_WRITE_AFTER_END");
});

test("refuses to enqueue null", async () => {
  const stream = transformer({ transform: (_, controller) => controller.enqueue(null) });
  const error = errorOf(stream);
  stream.write(1);
  assertEquals(
    (await error as Error).message,
    "Cannot enqueue: a node stream cannot carry null, which is its end",
  );
});

test("what an async transform or flush enqueues after a destroy is refused, and no failure of the stream", async () => {
  for (const error of [undefined, new Error("destroyed")]) {
    for (const method of ["transform", "flush"] as const) {
      let refused: unknown;
      const gate = Promise.withResolvers<void>();
      const stream = transformer({
        async [method](...args: unknown[]) {
          await gate.promise;
          try {
            (args.at(-1) as TransformStreamDefaultController).enqueue(1);
          } catch (error) {
            refused = error;
            throw error;
          }
        },
      });
      stream.on("error", () => {});
      const answers: unknown[] = [];
      stream.write(1, (failure) => answers.push(failure));
      if (method === "flush") stream.end();
      stream.resume();
      await settle();
      stream.destroy(error);
      gate.resolve();
      await settle();
      if (method === "transform") assertEquals(answers, [null]);
      assertInstanceOf(refused, TypeError);
      assertEquals([stream.errored, stream.closed], [error ?? null, true]);
    }
  }
});
