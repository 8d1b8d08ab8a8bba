import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
import { reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

const addOne: Transformer<number, number> = {
  transform: (chunk, controller) => controller.enqueue(chunk + 1),
};

test("runs sources, dictionaries, functions and any node stream", async () => {
  const written: number[] = [];
  const sink = (chunk: number): void => void written.push(chunk);
  await pipeline([1, 2], addOne, addOne, sink);
  await pipeline(Readable.from([3]), new PassThrough({ objectMode: true }), writer(sink));
  await pipeline(reader([4]), transformer(addOne), sink, {});
  assertEquals(written, [3, 4, 3, 5]);
});

test("fails with the very value that any stage throws, after everything is closed", async () => {
  for (const reason of reasons) {
    for (const at of ["reader", "transformer", "flush", "writer", "close"]) {
      const failAt = (stage: string): void => {
        if (stage === at) throw reason;
      };
      const told: string[] = [];
      const streams = [
        reader(function* () {
          yield 1;
          failAt("reader");
          yield 2;
        }()),
        transformer({
          transform: (chunk, controller) => {
            failAt("transformer");
            controller.enqueue(chunk);
          },
          flush: () => failAt("flush"),
        }),
        writer(() => failAt("writer"), {
          close: () => failAt("close"),
          abort: (value) => {
            assertStrictEquals(value, reason);
            told.push("abort");
          },
        }),
      ] as const;
      assertStrictEquals((await rejection(pipeline(...streams))).reason, reason);
      await settle();
      assertEquals(streams.map((stream) => stream.closed), [true, true, true]);
      assertEquals(told, at === "writer" || at === "close" ? [] : ["abort"]);
    }
  }
});

test("a stage that ends early is a success, and loses nothing", async () => {
  const written: number[] = [];
  let taken = 0;
  await pipeline(
    function* () {
      for (let number = 0;; number++) yield number;
    }(),
    addOne,
    {
      transform: (chunk, controller) => {
        controller.enqueue(chunk);
        if (++taken === 3) controller.terminate();
      },
    },
    async (chunk: number) => {
      await settle();
      written.push(chunk);
    },
  );
  assertEquals(written, [1, 2, 3]);
});

test("a stream that is closed before its end fails it", async () => {
  const source = new Readable({ objectMode: true, read() {} });
  const run = rejection(pipeline(source, () => {}));
  source.destroy();
  assertEquals((await run).reason instanceof Error, true);
  assertEquals(((await run).reason as { code: string }).code, "ERR_STREAM_PREMATURE_CLOSE");
});

test("an aborted signal destroys every stream with its reason", async () => {
  for (const reason of [new Error("enough"), "enough", 0]) {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      const told: unknown[] = [];
      if (isEarly) controller.abort(reason);
      const run = rejection(
        pipeline(
          reader((_, signal) => {
            signal.addEventListener("abort", () => told.push(signal.reason));
            return new Promise<never>(() => {});
          }),
          { cancel: (value) => void told.push(value) },
          writer(() => {}, { abort: (value) => void told.push(value) }),
          { signal: controller.signal },
        ),
      );
      await settle();
      controller.abort(reason);
      assertStrictEquals((await run).reason, reason);
      // A source that was never asked was never given its signal.
      assertEquals(told, isEarly ? [reason, reason] : [reason, reason, reason]);
    }
  }
});

test("leaves no listener behind", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  type Listening = Parameters<typeof addEventListener>;
  Object.assign(signal, {
    addEventListener: (...given: Listening) => {
      listeners++;
      addEventListener.apply(signal, given);
    },
    removeEventListener: (...given: Listening) => {
      listeners--;
      removeEventListener.apply(signal, given);
    },
  });
  const source = Readable.from([1, 2]);
  const sink = new Writable({
    objectMode: true,
    write: (_chunk, _encoding, callback) => callback(),
  });
  const events = ["error", "close", "end", "finish", "data", "readable", "drain"];
  const count = () =>
    [source, sink].flatMap((stream) => events.map((event) => stream.listenerCount(event)));
  const before = count();
  await pipeline(source, sink, { signal });
  await settle();
  assertEquals([count(), listeners], [before, 0]);
});

test("refuses what it cannot use", () => {
  const cases: [unknown[], string][] = [
    [[[1]], "Cannot create pipeline: the parts must be a source and a sink at least"],
    [[5, () => {}], "Cannot create reader: source must be"],
    [[[1], 5], "Cannot create pipeline: sink must be a node Writable or a function, got 5"],
    [[[1], () => {}, { abort: 1 }], 'Cannot create pipeline: unknown option "abort"'],
  ];
  for (const [parts, message] of cases) {
    assertThrows(
      () => (pipeline as (...parts: unknown[]) => unknown)(...parts),
      Error,
      message,
    );
  }
});
