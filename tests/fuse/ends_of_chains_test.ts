import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

type Controller = TransformStreamDefaultController<unknown>;

const failing = (): never => {
  throw "failed";
};

test("fuse: what an earlier stage's cancel calls error with is what the writer fails with", async () => {
  let controller!: Controller;
  const { readable, writable } = fuse({
    start: (given: Controller) => void (controller = given),
    cancel: () => controller.error("error"),
  }, { flush() {} });
  const writer = writable.getWriter();
  const closed = errorOf(writer.closed);
  await turns(1);
  assertEquals([await errorOf(readable.cancel("cancel")), await closed], ["none", ["error"]]);
});

test("fuse: a write whose chunk fails in the first stage in the turn of a cancel is not done", async () => {
  for (const transform of [failing, () => Promise.reject("failed")]) {
    const { readable, writable } = fuse({ transform }, {}, {
      readableStrategy: { highWaterMark: 1 },
    });
    const writer = writable.getWriter();
    const closed = errorOf(writer.closed);
    await turns(1);
    const ends = [writer.write(1), readable.cancel("cancel")].map(errorOf);
    assertEquals([...await Promise.all(ends), await closed], [["failed"], "none", ["failed"]]);
  }
});

test("fuse: what the last stage fails with in the turn of a cancel is not lost: stages before it hear it", async () => {
  for (const transform of [failing, () => Promise.reject("failed")]) {
    const heard: unknown[] = [];
    const { readable, writable } = fuse(
      {
        cancel: (reason: unknown) => void heard.push(reason),
      },
      { transform },
      { readableStrategy: { highWaterMark: 1 } },
    );
    const writer = writable.getWriter();
    const closed = errorOf(writer.closed);
    await turns(1);
    writer.write(1).catch(() => {});
    readable.cancel("cancel").catch(() => {});
    assertEquals([await closed, heard], [["failed"], ["failed"]]);
  }
});

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

test("fuse: a read that is given up while the first stage starts has asked the last stage for a chunk", async () => {
  const taken: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const { readable, writable } = fuse({ start: () => gate.promise }, {
    transform: (chunk: unknown) => void taken.push(chunk),
  });
  const reader = readable.getReader();
  reader.closed.catch(() => {});
  reader.read().catch(() => {});
  await turns(1);
  reader.releaseLock();
  gate.resolve();
  await writable.getWriter().write(1);
  await turns(1);
  assertEquals(taken, [1]);
});
