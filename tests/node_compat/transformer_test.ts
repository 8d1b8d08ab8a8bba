import { assertEquals, assertInstanceOf } from "@std/assert";
import type { Transform } from "node:stream";
import { test } from "node:test";
import { fromNode, pipeline, reader, toNode, transformer } from "@hosepipe/streams/node";
import { errorOf, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";
import { compose, filter, flatMap, map, tap } from "@hosepipe/streams";

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

test("after terminate, nothing that waits is transformed, and neither flush nor cancel called", async () => {
  const log: unknown[] = [];
  const stream = transformer({
    transform: async (chunk, controller) => {
      log.push(chunk);
      await settle();
      controller.terminate();
    },
    flush: () => void log.push("flush"),
    cancel: () => void log.push("cancel"),
  }, { writableHighWaterMark: 5 });
  for (const chunk of [1, 2, 3]) stream.write(chunk);
  await new Promise((resolve) => stream.on("error", () => {}).resume().on("close", resolve));
  stream.destroy();
  await settle();
  assertEquals(log, [1]);
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

type Hang = (chunk: number, index: number, context: { signal: AbortSignal }) => Promise<never>;

const stages: Record<string, (hang: Hang) => Transformer<number, number>> = {
  map: (hang) => map(hang),
  filter: (hang) => filter(hang),
  flatMap: (hang) => flatMap(hang),
  tap: (hang) => tap(hang),
  compose: (hang) => compose(map((chunk: number) => chunk), map(hang)),
};

/** Functions that hang until their signal aborts, and what they heard. */
function hanging() {
  const heard: unknown[] = [];
  const hang: Hang = (_chunk, _index, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        heard.push(signal.reason);
        reject(signal.reason);
      });
    });
  return { heard, hang };
}

/** Gives 1, and then nothing: at its end `flush` would run, and who flushes is not cancelled any more. */
async function* once(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => {});
}

for (const [name, make] of Object.entries(stages)) {
  test(`a signal, a failing sink and an early end reach the function of ${name}, each stream its own`, async () => {
    const ways: Record<string, (stage: Transformer<number, number>) => Promise<unknown>> = {
      async signal(stage) {
        const controller = new AbortController();
        const run = rejection(pipeline(once(), stage, () => {}, { signal: controller.signal }));
        await settle();
        controller.abort("signal");
        return (await run).reason;
      },
      async error(stage) {
        const stream = transformer(stage);
        const run = rejection(pipeline(once(), stream, { cancel() {} }, () => {}));
        await settle();
        stream.destroy("error" as unknown as Error);
        return (await run).reason;
      },
      async cancel(stage) {
        const { readable, writable } = fromNode(transformer(stage), { as: "pair" });
        const writer = writable.getWriter();
        writer.closed.catch(() => {});
        writer.write(1).catch(() => {});
        await settle();
        await readable.cancel("cancel");
        return "cancel";
      },
      async destroy(stage) {
        const streams = [transformer(stage), transformer(stage)];
        for (const stream of streams) stream.on("error", () => {}).write(1);
        await settle();
        streams[0]!.destroy("destroy" as unknown as Error);
        return "destroy";
      },
      async native(stage) {
        const stream = toNode(new TransformStream(stage)).on("error", () => {});
        stream.resume().write(1);
        await settle();
        stream.destroy("native" as unknown as Error);
        return "native";
      },
    };
    for (const [way, end] of Object.entries(ways)) {
      const { heard, hang } = hanging();
      const reason = await end(make(hang));
      await settle();
      assertEquals([heard, reason], [[way], way]);
    }
  });
}
