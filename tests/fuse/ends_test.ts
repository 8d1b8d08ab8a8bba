import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { compose, filter, flatMap, fuse, map, pipeline } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";

type Controller = TransformStreamDefaultController<unknown>;

test("fuse: what a stage gives after a later one has ended the chain is dropped, and its write is done", async () => {
  const heard: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const { readable, writable } = fuse(
    {
      async transform(chunk: unknown, controller: Controller) {
        controller.enqueue(chunk);
        await turns(1);
        try {
          controller.enqueue(chunk);
        } catch {
          heard.push("thrown");
        }
      },
      cancel: (reason: unknown) => void heard.push(reason),
    },
    { cancel: () => gate.promise },
    {},
    { readableStrategy: { highWaterMark: 1 } },
  );
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  await turns(1);
  const written = errorOf(writer.write(1));
  const cancelled = errorOf(readable.cancel("cancel"));
  await turns(2);
  gate.resolve();
  assertEquals([await cancelled, await written], ["none", "none"]);
  await turns(1);
  assertEquals(heard, ["cancel"]);
});

const failure = new Error("a failure on purpose");

for (const highWaterMark of [0, 1, 2, 16]) {
  test(`a composition in a native stream delivers all before its failure to whoever reads late, mark ${highWaterMark}`, async () => {
    const stage = compose(
      flatMap((n: number) => range(n)),
      map((n: number) => {
        if (n === 3) throw failure;
        return n;
      }),
    );
    const { readable, writable } = new TransformStream(stage, undefined, { highWaterMark });
    const writer = writable.getWriter();
    void writer.write(9).catch(() => {});
    writer.closed.catch(() => {});
    await turns(5);
    const reader = readable.getReader();
    const chunks: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      chunks.push((await reader.read()).value);
      await turns(2);
    }
    assertEquals(chunks, [0, 1, 2]);
    assertEquals(await errorOf(reader.read()), [failure]);
    assertEquals(await errorOf(writer.closed), [failure]);
  });
}

test("however many writes wait for room, an abort is listened for once", async () => {
  const { addEventListener } = EventTarget.prototype;
  let listeners = 0;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: unknown[]) {
    if (this instanceof AbortSignal && args[0] === "abort") listeners++;
    return Reflect.apply(addEventListener, this, args);
  } as typeof addEventListener;
  try {
    const { readable, writable } = fuse(map((n: number) => n));
    const writer = writable.getWriter();
    const reader = readable.getReader();
    for (let n = 0; n < 20; n++) {
      const written = writer.write(n);
      await turns(1);
      assertEquals(await reader.read(), { done: false, value: n });
      await written;
    }
    assertEquals(listeners, 1);
    await reader.cancel();
  } finally {
    EventTarget.prototype.addEventListener = addEventListener;
  }
});

test("fuse: reads before the start are given what is enqueued there, and a cancel behind them takes nothing back", async () => {
  const marks: QueuingStrategy<unknown>[] = [{}, { highWaterMark: 5 }, {
    highWaterMark: 5,
    size: () => 1,
  }];
  for (const readableStrategy of marks) {
    const { readable } = fuse({
      start(controller: TransformStreamDefaultController<unknown>) {
        for (const chunk of [1, 2, 3]) controller.enqueue(chunk);
      },
    }, { readableStrategy });
    const reader = readable.getReader();
    const reads = [1, 2, 3, 4].map(() => reader.read());
    const cancelled = reader.cancel("cancel");
    assertEquals((await Promise.all(reads)).map(({ value }) => value), [1, 2, 3, undefined]);
    await cancelled;
  }
});

test("fuse: chunks without a size are delivered before a failure, too", async () => {
  for (const highWaterMark of [0, 1, 1_000, Infinity]) {
    const { readable, writable } = fuse(
      {
        transform(chunk: unknown, controller: TransformStreamDefaultController<unknown>) {
          for (const made of [1, 2, 3]) controller.enqueue(made);
          assertEquals(controller.desiredSize, highWaterMark);
          controller.error(chunk);
        },
      },
      { readableStrategy: { highWaterMark, size: () => 0 } },
    );
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const reader = readable.getReader();
    const first = reader.read();
    writer.write("failed").catch(() => {});
    await turns(1);
    assertEquals((await first).value, 1);
    assertEquals([(await reader.read()).value, (await reader.read()).value], [2, 3]);
    assertEquals(await errorOf(reader.read()), ["failed"]);
  }
});

test("fuse: a write is done once all it makes has room, without a read", async () => {
  let made = 0;
  const many = flatMap(function* (count: number) {
    while (made < count) yield made++;
  });
  const { readable, writable } = fuse(many, { readableStrategy: { highWaterMark: 1_000 } });
  const writer = writable.getWriter();
  await writer.write(500);
  assertEquals(made, 500);
  const closed = writer.close();
  assertEquals((await Array.fromAsync(readable)).length, 500);
  await closed;
});

test("fuse: a close that a stage asks for while a read drives it is answered", async () => {
  let closed: Promise<void> | undefined;
  const { readable, writable } = fuse(
    map((n: number) => n),
    map((n: number) => {
      closed = writer.close();
      return n;
    }),
  );
  const writer = writable.getWriter();
  await writer.write(1);
  // It waits before the last stage, which has no room.
  assertEquals(closed, undefined);
  assertEquals(await Array.fromAsync(readable), [1]);
  await closed;
});

type Stage = Transformer<unknown, unknown>;

test("a stage that nothing waits behind sees 0, never the -0 that prints otherwise", async () => {
  const sizes: unknown[] = [];
  const look: Stage = {
    start: (controller) => void sizes.push(controller.desiredSize),
    transform(chunk, controller) {
      sizes.push(controller.desiredSize);
      controller.enqueue(chunk);
    },
  };
  await Array.fromAsync(new Blob(["a"]).stream().pipeThrough(fuse(look, look)));
  await pipeline([1], look, look, () => {});
  assertEquals(sizes.filter((size) => Object.is(size, -0)).length, 0);
  assertEquals(sizes.slice(4), [0, 0, 0, 0], "nothing waits behind a stage of a pipeline");
  assertEquals(sizes.length, 8);
});

type Pair = ReadableWritablePair<unknown, unknown>;

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

  test(`${name}: a pending read takes a chunk past the queue`, async () => {
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
    await started();
    const read = reader.read();
    controller.enqueue("read at once");
    assertEquals([controller.desiredSize, sizes], [1, []]);
    controller.enqueue("queued");
    assertEquals([controller.desiredSize, sizes], [0, ["queued"]]);
    assertEquals((await read).value, "read at once");
    assertEquals((await reader.read()).value, "queued");
    assertEquals(controller.desiredSize, 1);
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
}

// What only a caller without types does.
// deno-lint-ignore no-explicit-any
const untyped = fuse as (...args: any[]) => ReadableWritablePair<unknown, unknown>;

test("fuse gives a pair of native streams and nothing else", async () => {
  const pair = fuse(map((n: number) => n + 1), filter((n) => n % 2 === 0));
  assertEquals(Object.keys(pair).toSorted(), ["readable", "writable"]);
  assert(pair.readable instanceof ReadableStream && pair.writable instanceof WritableStream);
  assertEquals(await Array.fromAsync(from(range(5)).pipeThrough(pair)), [2, 4]);
});

test("fuse takes its strategies last, undefined for none, and refuses what it does not know", async () => {
  const pair = untyped(map((n) => n), undefined);
  assertEquals(await Array.fromAsync(from([1]).pipeThrough(pair)), [1]);
  assertThrows(
    () => untyped(map((n) => n), { writableStrategy: {}, readable: {} }),
    TypeError,
    "readable",
  );
  assertThrows(
    () => untyped(map((n) => n), {}),
    TypeError,
    "Cannot fuse: stage 2 has no method of a stage; did you mean strategies",
  );
  for (const name of ["writableStrategy", "readableStrategy"]) {
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: -1 } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: NaN } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { size: 1 } }), TypeError);
  }
});

test("fuse's ends have the strategies they are given, counted by their sizes", async () => {
  const size = (text: string) => text.length;
  const pair = fuse(map((text: string) => `${text}${text}`), {
    writableStrategy: { highWaterMark: 10, size },
    readableStrategy: { highWaterMark: 20, size },
  });
  const writer = pair.writable.getWriter();
  assertEquals(writer.desiredSize, 10);
  writer.write("abc");
  assertEquals(writer.desiredSize, 7);
  await turns();
  assertEquals(writer.desiredSize, 10);
  // Twice 6 are in the outgoing queue, of 20.
  for (const text of ["abc", "abcd"]) writer.write(text);
  await turns();
  assertEquals(writer.desiredSize, 10);
  writer.write("too much");
  await turns();
  assertEquals(writer.desiredSize, 2);
  assertEquals((await pair.readable.getReader().read()).value, "abcabc");
});
