import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse } from "@hosepipe/streams";
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
