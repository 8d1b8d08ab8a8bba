import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { flatMap, fuse, map } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

type Pair = ReadableWritablePair<unknown, unknown>;

const ways: Record<string, (transformer: Transformer<unknown, unknown>) => Pair> = {
  native: (transformer) => new TransformStream(transformer),
  fuse: (transformer) => fuse(transformer),
};

for (const [name, make] of Object.entries(ways)) {
  for (const fails of [false, true]) {
    test(`${name}: an abort while a close waits for a cancel has no say in how they end, cancel fails ${fails}`, async () => {
      for (const hasWaited of [false, true]) {
        for (const ticks of [0, 1, 5]) {
          const answer = Promise.withResolvers<void>();
          const { readable, writable } = make({
            transform: () => turns(1),
            cancel: () => answer.promise,
          });
          const [writer, reader] = [writable.getWriter(), readable.getReader()];
          reader.read().catch(() => {});
          await turns(1);
          if (hasWaited) await writer.write(1);
          const ends = [reader.cancel("cancelled"), writer.close()].map(errorOf);
          for (let tick = 0; tick < ticks; tick++) await undefined;
          ends.push(...[writer.abort("aborted"), writer.closed, reader.closed].map(errorOf));
          await turns(1);
          if (fails) answer.reject("failed");
          else answer.resolve();
          assertEquals(
            await Promise.all(ends),
            fails
              ? [["failed"], ["failed"], ["failed"], ["aborted"], "none"]
              : ["none", "none", "none", "none", "none"],
            `${hasWaited}, ${ticks}`,
          );
        }
      }
    });
  }
}

test("fuse: what is written while a later stage's cancel has not answered is refused then, and not lost in silence", async () => {
  const answer = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const { readable, writable } = fuse(
    {
      transform(chunk: unknown, controller: TransformStreamDefaultController<unknown>) {
        seen.push(chunk);
        controller.enqueue(chunk);
      },
    },
    { cancel: () => answer.promise },
  );
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  await turns(1);
  const cancelled = readable.cancel("cancelled");
  const written = errorOf(writer.write(1));
  await turns(2);
  answer.resolve();
  await cancelled;
  assertEquals([await written, seen], [["cancelled"], []]);
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
