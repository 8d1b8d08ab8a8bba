import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse, map } from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";

type Make = (strategy: QueuingStrategy<number>) => ReadableWritablePair<number, number>;

const identity = map((n: number) => n);
const ways: Record<string, Make> = {
  native: (strategy) => new TransformStream(identity, {}, strategy),
  fuse: (strategy) => fuse(identity, { readableStrategy: strategy }),
};

for (const [name, make] of Object.entries(ways)) {
  test(`${name}: each chunk that is read makes room for one more, and no read for two`, async () => {
    for (const highWaterMark of [0, 1, 2, 5]) {
      for (const size of [undefined, () => 1]) {
        const { readable, writable } = make({ highWaterMark, size });
        const writer = writable.getWriter();
        let written = 0;
        for (let n = 0; n < 12; n++) writer.write(n).then(() => written++);
        const reader = readable.getReader();
        for (let read = 0; read < 12; read++) {
          await turns(1);
          // The mark's last chunk stops those behind it.
          assertEquals(written, Math.min(12, highWaterMark + read), `${highWaterMark}, ${read}`);
          assertEquals(await reader.read(), { done: false, value: read });
        }
        const closed = writer.close();
        assertEquals((await reader.read()).done, true);
        await closed;
      }
    }
  });
}
