import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { errorOf } from "../lib/error_of.ts";
import { fuse, pipeline } from "@hosepipe/streams";

type Stage = Transformer<unknown, unknown>;
type Controller = TransformStreamDefaultController<unknown>;

const ways: Readonly<Record<string, (stage: Stage) => ReadableWritablePair<unknown, unknown>>> = {
  native: (stage) => new TransformStream(stage, undefined, { highWaterMark: 3 }),
  fuse: (stage) => fuse(stage, { readableStrategy: { highWaterMark: 3 } }),
};

/** Writes one chunk to a stage, and gives what the stage saw. */
async function watch(name: string, watch: (controller: Controller) => unknown[]): Promise<unknown> {
  let seen: unknown;
  const { writable } = ways[name]!({
    transform(_, controller) {
      seen = watch(controller);
    },
  });
  await writable.getWriter().write("chunk").catch(() => {});
  return seen;
}

for (const name of Object.keys(ways)) {
  test(`${name}: desiredSize falls with every chunk`, async () => {
    const sizes = await watch(name, (controller) => {
      const sizes: unknown[] = [controller.desiredSize];
      for (let n = 0; n < 4; n++) {
        controller.enqueue(n);
        sizes.push(controller.desiredSize);
      }
      return sizes;
    });
    assertEquals(sizes, [3, 2, 1, 0, -1]);
  });

  test(`${name}: after terminate desiredSize is 0 and nothing can be enqueued`, async () => {
    const sizes = await watch(name, (controller) => {
      controller.terminate();
      assertThrows(() => controller.enqueue("more"), TypeError);
      return [controller.desiredSize];
    });
    assertEquals(sizes, [0]);
  });

  test(`${name}: after an error desiredSize is null and nothing can be enqueued`, async () => {
    const sizes = await watch(name, (controller) => {
      controller.error(undefined);
      assertThrows(() => controller.enqueue("more"), TypeError);
      return [controller.desiredSize];
    });
    assertEquals(sizes, [null]);
  });

  test(`${name}: a size that fails is the stage's failure`, async () => {
    const reason = new Error("no size");
    const size = (chunk: unknown): number => {
      if (chunk === 2) throw reason;
      return 1;
    };
    const strategy = { highWaterMark: 10, size };
    const stage: Stage = {
      transform(chunk, controller) {
        controller.enqueue(chunk);
      },
    };
    const { readable, writable } = name === "native"
      ? new TransformStream(stage, undefined, strategy)
      : fuse(stage, { readableStrategy: strategy });
    const writer = writable.getWriter();
    const outcomes = await Promise.allSettled([1, 2, 3].map((chunk) => writer.write(chunk)));
    await writer.closed.catch(() => {});
    assertEquals(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
    const chunks: unknown[] = [];
    let failure: unknown;
    try {
      for await (const chunk of readable) chunks.push(chunk);
    } catch (error) {
      failure = error;
    }
    assertEquals(failure, reason);
    // The queue itself has failed: what it holds is dropped.
    assertEquals(chunks, []);
  });
}

for (const name of Object.keys(ways)) {
  test(`${name}: what a stage throws while its cancel goes on is what its writable side fails with`, async () => {
    const began = Promise.withResolvers<void>();
    const chunkMayGo = Promise.withResolvers<void>();
    const mayCancel = Promise.withResolvers<void>();
    const { readable, writable } = ways[name]!({
      async transform(chunk, controller) {
        began.resolve();
        await chunkMayGo.promise;
        controller.enqueue(chunk);
      },
      cancel: () => mayCancel.promise,
    });
    const writer = writable.getWriter();
    const write = writer.write("chunk").catch((reason) => reason);
    await began.promise;
    const cancelled = readable.cancel("enough").catch((reason) => reason);
    const closed = writer.closed.catch((reason) => reason);
    chunkMayGo.resolve();
    const reason = await closed;
    mayCancel.resolve();
    assertEquals((reason as Error).name, "TypeError");
    assertEquals([await write === reason, await cancelled === reason], [true, true]);
  });
}

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

for (const [name, make] of Object.entries(ways)) {
  test(`${name}: after a cancel desiredSize is 0`, async () => {
    const sizes: unknown[] = [];
    let look!: () => void;
    const { readable } = make({
      start: (controller) => void (look = () => sizes.push(controller.desiredSize)),
      cancel: () => look(),
    });
    await readable.cancel();
    look();
    assertEquals(sizes, [0, 0]);
  });
}

test("a cancel before a failure has been read rejects with that failure", async () => {
  const failure = new Error("why");
  const { readable, writable } = fuse({
    transform(_, controller) {
      for (let n = 0; n < 9; n++) controller.enqueue(n);
      throw failure;
    },
  }, { readableStrategy: { highWaterMark: 3 } });
  const writer = writable.getWriter();
  const closed = errorOf(writer.closed);
  assertEquals(await errorOf(writer.write(1)), [failure]);
  assertEquals(await errorOf(readable.cancel("enough")), [failure]);
  assertEquals(await closed, [failure]);
});

test("a size is asked as a chunk is enqueued, and what it throws is enqueue's at once", async () => {
  const reason = new Error("no size");
  const caught: unknown[] = [];
  const order: string[] = [];
  const stage: Stage = {
    transform(chunk, controller) {
      order.push(`transform ${chunk}`);
      try {
        controller.enqueue(chunk);
      } catch (error) {
        caught.push(error);
      }
      order.push(`done ${chunk}`);
    },
  };
  const size = (chunk: unknown): number => {
    order.push(`size ${chunk}`);
    if (chunk === 2) throw reason;
    return 1;
  };
  for (const isNative of [true, false]) {
    caught.length = order.length = 0;
    const strategy = { highWaterMark: 9, size };
    const { readable, writable } = isNative
      ? new TransformStream(stage, undefined, strategy)
      : fuse(stage, { readableStrategy: strategy });
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    readable.getReader().closed.catch(() => {});
    for (const chunk of [1, 2]) await writer.write(chunk).catch(() => {});
    assertEquals(caught, [reason], `native: ${isNative}`);
    assertEquals(order, [
      ...["transform 1", "size 1", "done 1"],
      ...["transform 2", "size 2", "done 2"],
    ]);
  }
});
