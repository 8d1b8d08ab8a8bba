import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertStrictEquals, assertThrows } from "@std/assert";
import { flatMap, fuse, map, take } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";

type Controller = TransformStreamDefaultController<unknown>;
type Pair = ReadableWritablePair<unknown, unknown>;

const failure = new Error("a failure on purpose");
const other = new Error("another failure");

/** Each way of running one transformer between native ends. */
const ways: Record<string, (transformer: Transformer<unknown, unknown>) => Pair> = {
  native: (transformer) => new TransformStream(transformer),
  fuse: (transformer) => fuse(transformer),
};

/** A pair of the transformer, its controller, and its two ends. */
function open(make: (typeof ways)[string], transformer: Transformer<unknown, unknown> = {}) {
  let controller!: Controller;
  const { readable, writable } = make({
    ...transformer,
    start: (given) => void (controller = given),
  });
  const writer = writable.getWriter();
  const reader = readable.getReader();
  // Ends that a test does not look at must not fail it.
  writer.closed.catch(() => {});
  writer.ready.catch(() => {});
  reader.closed.catch(() => {});
  return { controller, writer, reader };
}

/** Streams take what is written to them once their start has settled. */
async function started(): Promise<void> {
  for (let i = 0; i < 10; i++) await undefined;
}

for (const [name, make] of Object.entries(ways)) {
  test(`${name}: a flush that fails fails both ends and close`, async () => {
    const flushes: Transformer<unknown, unknown>["flush"][] = [
      () => {
        throw failure;
      },
      (controller) => controller.error(failure),
      () => Promise.reject(failure),
      (controller) => Promise.resolve().then(() => controller.error(failure)),
    ];
    for (const flush of flushes) {
      const { writer, reader } = open(make, { flush });
      assertEquals(
        await Promise.all(
          [writer.close(), writer.closed, reader.read(), reader.closed].map(errorOf),
        ),
        [[failure], [failure], [failure], [failure]],
      );
    }
  });

  test(`${name}: a flush that calls error and then fails tells each side its own reason`, async () => {
    for (const isAsync of [false, true]) {
      const { writer, reader } = open(make, {
        flush(controller) {
          controller.error("error");
          if (isAsync) return Promise.reject("thrown");
          throw "thrown";
        },
      });
      const answers = [writer.close(), reader.read()].map(errorOf);
      assertEquals(await Promise.all(answers), [["thrown"], ["error"]]);
    }
  });

  test(`${name}: close in the same tick after an end fails with its reason`, async () => {
    const errored = open(make);
    errored.controller.error(failure);
    assertEquals(await errorOf(errored.writer.close()), [failure]);

    const terminated = open(make);
    terminated.controller.terminate();
    assertInstanceOf((await errorOf(terminated.writer.close()) as [unknown])[0], TypeError);

    const cancelled = open(make);
    const done = cancelled.reader.cancel(failure);
    assertEquals(await errorOf(cancelled.writer.close()), [failure]);
    assertEquals(await errorOf(done), "none");
  });

  test(`${name}: abort calls cancel at once if nothing is under way, after work that was waited for, too`, async () => {
    const reasons: unknown[] = [];
    const { writer, reader } = open(make, {
      transform: () => Promise.resolve(),
      cancel: (reason) => void reasons.push(reason),
    });
    reader.read().catch(() => {});
    await writer.write(1);
    await writer.write(2);
    await started();
    const aborted = writer.abort(failure);
    assertEquals(reasons, [failure]);
    await aborted;
  });

  test(`${name}: cancel during a pending flush waits for it, and close is not its victim`, async () => {
    const flushed = Promise.withResolvers<void>();
    const { writer, reader } = open(make, { flush: () => flushed.promise });
    await started();
    const order: string[] = [];
    const closed = writer.close().then(() => order.push("closed"));
    await started();
    const cancelled = reader.cancel(failure).then(() => order.push("cancelled"));
    for (let i = 0; i < 20; i++) await undefined;
    order.push("flushed");
    flushed.resolve();
    assertEquals(await Promise.all([closed, cancelled].map(errorOf)), ["none", "none"]);
    assertEquals(order[0], "flushed");
  });

  test(`${name}: a throw after terminate fails what is still open`, async () => {
    const { writer, reader } = open(make, {
      transform(_, controller) {
        controller.terminate();
        throw failure;
      },
    });
    const read = reader.read();
    assertEquals(await errorOf(writer.write(1)), [failure]);
    assertEquals(await read, { done: true, value: undefined });
  });

  test(`${name}: the second error does nothing`, async () => {
    const { controller, writer, reader } = open(make);
    controller.error(failure);
    controller.error(other);
    assertEquals(
      await Promise.all(
        [writer.closed, reader.closed, writer.abort(), reader.cancel()].map(errorOf),
      ),
      [[failure], [failure], [failure], [failure]],
    );
  });

  test(`${name}: a cancel that throws fails close and abort that run beside it`, async () => {
    for (const isStarted of [false, true]) {
      for (const end of ["close", "abort"] as const) {
        const { reader, writer } = open(make, {
          cancel() {
            throw failure;
          },
        });
        if (isStarted) await started();
        const ends = [reader.cancel(other), writer[end](other)];
        assertEquals(await Promise.all(ends.map(errorOf)), [[failure], [failure]], end);
      }
    }
  });

  test(`${name}: a cancel that runs beside an abort, or after it, settles as that does`, async () => {
    for (const isFailing of [false, true]) {
      let calls = 0;
      const answer = Promise.withResolvers<void>();
      const { reader, writer } = open(make, {
        cancel() {
          calls++;
          return answer.promise;
        },
      });
      await started();
      const ends = [writer.abort(other), reader.cancel(other)].map(errorOf);
      const order: string[] = [];
      for (const end of ends) end.then(() => order.push("settled"));
      await started();
      order.push("answered");
      if (isFailing) answer.reject(failure);
      else answer.resolve();
      const outcome = isFailing ? [failure] : "none";
      assertEquals(await Promise.all(ends), [outcome, outcome]);
      assertEquals([order, calls], [["answered", "settled", "settled"], 1]);
    }
  });

  test(`${name}: a cancel within the flush lets both settle`, async () => {
    for (const isLater of [false, true]) {
      let cancelled: Promise<void> | undefined;
      let flushes = 0;
      const { reader, writer } = open(make, {
        flush() {
          flushes++;
          cancelled = reader.cancel(failure);
          return isLater ? Promise.resolve() : undefined;
        },
      });
      await started();
      assertEquals(await errorOf(writer.close()), "none");
      assertEquals([await errorOf(cancelled!), await reader.read(), flushes], [
        "none",
        { done: true, value: undefined },
        1,
      ]);
    }
  });

  test(`${name}: what happens while a cancel has not answered decides how all ends settle`, async () => {
    const acts: Record<
      string,
      (writer: WritableStreamDefaultWriter, given: Controller) => unknown
    > = {
      abort: (writer) => writer.abort(other),
      close: (writer) => writer.close(),
      error: (_, controller) => controller.error(other),
    };
    const outcomes: Record<string, unknown> = {
      "abort": [other],
      "close": "none",
      "error": [other],
    };
    for (const [act, doIt] of Object.entries(acts)) {
      for (const isStarted of [true, false]) {
        for (const ticks of [0, 5]) {
          for (const isBusy of [false, true]) {
            const answer = Promise.withResolvers<void>();
            const work = Promise.withResolvers<void>();
            const { reader, writer, controller } = open(make, {
              transform: () => isBusy ? work.promise : undefined,
              cancel: () => answer.promise,
            });
            if (isStarted) await started();
            if (isBusy) {
              writer.write(1).catch(() => {});
              await started();
            }
            const cancelled = errorOf(reader.cancel(failure));
            for (let tick = 0; tick < ticks; tick++) await undefined;
            const ends = [
              errorOf(Promise.resolve(doIt(writer, controller))),
              errorOf(writer.closed),
            ];
            await started();
            answer.resolve();
            await started();
            work.resolve();
            const outcome = isBusy && act === "close" ? [failure] : outcomes[act];
            // An abort waits for what is in flight: the cancel has answered before it, and both fulfil.
            const isAbortLate = isBusy && act === "abort";
            assertEquals(
              [await cancelled, await ends[1], act === "error" ? outcome : await ends[0]],
              isAbortLate ? ["none", outcome, "none"] : [outcomes[act], outcome, outcome],
              `${act}, started ${isStarted}, after ${ticks} ticks, busy ${isBusy}`,
            );
          }
        }
      }
    }
  });

  test(`${name}: error after terminate replaces the end while chunks wait`, async () => {
    const { controller, writer, reader } = open(make);
    controller.enqueue(1);
    controller.terminate();
    controller.error(failure);
    assertEquals(await errorOf(reader.closed), [failure]);
    assertInstanceOf((await errorOf(writer.closed) as [unknown])[0], TypeError);

    const empty = open(make);
    empty.controller.terminate();
    empty.controller.error(failure);
    assertEquals(await errorOf(empty.reader.closed), "none");
  });

  for (const isStarted of [true]) {
    test(`${name}: a pending read takes a chunk past the queue${isStarted ? "" : ", before start has settled"}`, async () => {
      let controller!: Controller;
      const sizes: unknown[] = [];
      const strategy = {
        highWaterMark: 1,
        size(chunk: unknown) {
          sizes.push(chunk);
          return 1;
        },
      };
      const start = (given: Controller) => void (controller = given);
      const { readable } = name === "native"
        ? new TransformStream({ start }, undefined, strategy)
        : fuse({ start }, { readableStrategy: strategy });
      const reader = readable.getReader();
      if (isStarted) await started();
      const read = reader.read();
      controller.enqueue("read at once");
      assertEquals([controller.desiredSize, sizes], [1, []]);
      controller.enqueue("queued");
      assertEquals([controller.desiredSize, sizes], [0, ["queued"]]);
      assertEquals((await read).value, "read at once");
      assertEquals((await reader.read()).value, "queued");
      assertEquals(controller.desiredSize, 1);
    });
  }

  test(`${name}: a size that throws fails enqueue and both ends with its reason`, async () => {
    let controller!: Controller;
    const size = () => {
      throw failure;
    };
    const start = (given: Controller) => void (controller = given);
    const { readable, writable } = name === "native"
      ? new TransformStream({ start }, undefined, { size })
      : fuse({ start }, { readableStrategy: { size } });
    assertStrictEquals(assertThrows(() => controller.enqueue(1)), failure);
    assertEquals(
      await Promise.all([readable.getReader().closed, writable.getWriter().closed].map(errorOf)),
      [[failure], [failure]],
    );
  });

  test(`${name}: a size that throws closes the iterator that a flatMap has open`, async () => {
    for (const isAsync of [false, true]) {
      let [given, closed] = [0, 0];
      const chunks = {
        next() {
          const result = { done: false, value: given++ };
          return isAsync ? Promise.resolve(result) : result;
        },
        return() {
          closed++;
          return isAsync ? Promise.resolve({ done: true }) : { done: true };
        },
        [isAsync ? Symbol.asyncIterator : Symbol.iterator]() {
          return this;
        },
      };
      const size = (chunk: unknown) => {
        if (chunk === 2) throw failure;
        return 0;
      };
      const stage = flatMap(() => chunks as unknown as unknown[]);
      const strategy = { size, highWaterMark: 1 };
      const { readable, writable } = name === "native"
        ? new TransformStream(stage, undefined, strategy)
        : fuse(stage, { readableStrategy: strategy });
      const writer = writable.getWriter();
      const read = readable.getReader();
      assertEquals(await errorOf(writer.write(1)), [failure]);
      assertEquals(await errorOf(writer.closed), [failure]);
      read.closed.catch(() => {});
      assertEquals([given >= 3, closed], [true, 1], `asynchronous ${isAsync}`);
    }
  });

  test(`${name}: size may enqueue, end and read while it is called`, async () => {
    const acts: Record<string, (controller: Controller) => void> = {
      terminate: (controller) => controller.terminate(),
      error: (controller) => controller.error(failure),
      enqueue: (controller) => controller.enqueue("inner"),
    };
    const seen: Record<string, unknown> = {};
    for (const [what, act] of Object.entries(acts)) {
      let controller!: Controller;
      let calls = 0;
      const size = () => {
        if (calls++ === 0) act(controller);
        return 1;
      };
      const start = (given: Controller) => void (controller = given);
      const { readable } = name === "native"
        ? new TransformStream({ start }, undefined, { size, highWaterMark: 3 })
        : fuse({ start }, { readableStrategy: { size, highWaterMark: 3 } });
      let thrown: unknown = "nothing";
      try {
        controller.enqueue("outer");
      } catch (error) {
        thrown = error instanceof TypeError ? "TypeError" : error;
      }
      const reader = readable.getReader();
      const first = await reader.read().catch((error) => ({ error }));
      seen[what] = [thrown, first];
    }
    assertEquals(seen, {
      terminate: ["nothing", { done: true, value: undefined }],
      error: ["nothing", { error: failure }],
      enqueue: ["nothing", { done: false, value: "inner" }],
    });
  });

  test(`${name}: a stage's methods are called as its own, without call and apply`, async () => {
    const heard: string[] = [];
    const stage = {
      transform(this: unknown, chunk: unknown, controller: Controller) {
        heard.push(`transform ${this === stage}`);
        controller.enqueue(chunk);
      },
      flush(this: unknown) {
        heard.push(`flush ${this === stage}`);
      },
    };
    for (const method of [stage.transform, stage.flush]) {
      Object.assign(method, {
        call: () => heard.push("call"),
        apply: () => heard.push("apply"),
      });
    }
    const { readable, writable } = make(stage as Transformer<unknown, unknown>);
    const writer = writable.getWriter();
    const chunks = Array.fromAsync(readable);
    await writer.write(1);
    await writer.close();
    assertEquals([await chunks, heard], [[1], ["transform true", "flush true"]]);
  });

  test(`${name}: makes its ends of the streams that were there, not of patched globals`, () => {
    const { ReadableStream: Readable, WritableStream: Writable } = globalThis;
    const refuse = function () {
      throw new Error("a patched global was used");
    };
    try {
      Object.assign(globalThis, { ReadableStream: refuse, WritableStream: refuse });
      const { readable, writable } = make({});
      assertInstanceOf(readable, Readable);
      assertInstanceOf(writable, Writable);
    } finally {
      Object.assign(globalThis, { ReadableStream: Readable, WritableStream: Writable });
    }
  });
}

test("in a longer chain the ends of the first and the last stage take effect at once, too", async () => {
  let first!: Controller;
  let last!: Controller;
  const pair = fuse(
    { start: (given: Controller) => void (first = given) },
    map((chunk) => chunk),
    { start: (given: Controller) => void (last = given) },
  );
  const writer = pair.writable.getWriter();
  const reader = pair.readable.getReader();
  first.error(failure);
  assertEquals(await errorOf(writer.close()), [failure]);
  assertEquals(await errorOf(reader.read()), [failure]);
  assertEquals(await errorOf(writer.closed), [failure]);
  assertThrows(() => first.enqueue(1), TypeError);
  assertThrows(() => last.enqueue(1), TypeError);
});

test("close after take has ended the chain fails, as it does natively", async () => {
  for (const make of Object.values(ways)) {
    const { readable, writable } = make(take(1) as Transformer<unknown, unknown>);
    const writer = writable.getWriter();
    const reader = readable.getReader();
    const read = reader.read();
    await writer.write(1);
    assertEquals((await read).value, 1);
    assertInstanceOf((await errorOf(writer.close()) as [unknown])[0], TypeError);
    assertEquals((await reader.read()).done, true);
    writer.closed.catch(() => {});
  }
});
