import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse, stage } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";

type Make = (transformer: Transformer) => ReadableWritablePair<unknown, unknown>;

const noRoom = { highWaterMark: 0 };
const ways: Record<string, Make> = {
  native: (transformer) => new TransformStream(transformer, {}, noRoom),
  fused: (transformer) => fuse(transformer, { readableStrategy: noRoom }),
};

/** Gives no chunk, or what is thrown. */
function ending(failure?: string) {
  return stage(async function* (source: AsyncIterable<unknown>) {
    for await (const _ of source);
    if (failure !== undefined) throw failure;
    yield* [];
  });
}

for (const [way, make] of Object.entries(ways)) {
  test(`${way}: a generator that ends ends its stream, though nothing is read`, async () => {
    const { readable, writable } = make(ending());
    const reader = readable.getReader();
    await writable.close();
    assertEquals(await errorOf(reader.closed), "none");
    assertEquals(await reader.read(), { done: true, value: undefined });
  });

  test(`${way}: a generator that throws at its end fails its stream, though nothing is read`, async () => {
    const { readable, writable } = make(ending("failed"));
    const closed = errorOf(readable.getReader().closed);
    assertEquals(await errorOf(writable.close()), ["failed"]);
    assertEquals(await closed, ["failed"]);
  });

  test(`${way}: an empty source is piped through a generator into a sink without room`, async () => {
    const source = new ReadableStream({ start: (controller) => controller.close() });
    await source.pipeThrough(make(ending())).pipeTo(new WritableStream({}, noRoom));
  });

  test(`${way}: a generator that gives behind its source is one chunk ahead of who reads`, async () => {
    let count = 0;
    const { readable, writable } = make(stage(async function* (source: AsyncIterable<unknown>) {
      for await (const _ of source);
      for (;;) yield ++count;
    }));
    writable.close().catch(() => {});
    const reader = readable.getReader();
    for (let read = 1; read <= 3; read++) {
      assertEquals((await reader.read()).value, read);
      assertEquals(count <= read + 1, true);
    }
    await reader.cancel();
  });
}
