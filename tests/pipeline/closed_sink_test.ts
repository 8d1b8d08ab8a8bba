import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { map, pipeline, writer } from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";

const stages = { "no stage": [], "a stage": [map((chunk: number) => chunk)] };

for (const [name, row] of Object.entries(stages)) {
  for (const count of [1, 2, 3, 50]) {
    test(`${count} chunks into a sink that was closed before fail the run, with ${name}`, async () => {
      for (const preventClose of [false, true]) {
        const written: number[] = [];
        const write = (chunk: number): void => void written.push(chunk);
        for (const sink of [new WritableStream({ write }), writer(write, { highWaterMark: 4 })]) {
          written.length = 0;
          await pipeline([0], sink);
          for (const source of [range(count), from(range(count))]) {
            const run = pipeline(source, ...row as [], sink, { preventClose });
            await assertRejects(() => run, TypeError);
          }
          assertEquals([written, sink.locked], [[0], false]);
        }
      }
    });

    test(`${count} chunks into a sink that is still closing fail the run, with ${name}`, async () => {
      const write = Promise.withResolvers<void>();
      const written: number[] = [];
      const sink = new WritableStream<number>({
        write(chunk) {
          written.push(chunk);
          return write.promise;
        },
      });
      const before = sink.getWriter();
      const firstWritten = before.write(0);
      const closed = before.close();
      before.releaseLock();
      const run = pipeline(range(count), ...row as [], sink);
      write.resolve();
      await assertRejects(() => run, TypeError);
      await Promise.all([firstWritten, closed]);
      assertEquals([written, sink.locked], [[0], false]);
    });

    test(`${count} chunks into a pair whose writable side was closed fail the run, with ${name}`, async () => {
      const closed = new TransformStream<number, number>(undefined, { highWaterMark: 5 });
      await closed.writable.close();
      const got: number[] = [];
      const run = pipeline(range(count), ...row as [], closed, (chunk: number) => {
        got.push(chunk);
      });
      await assertRejects(() => run, TypeError, "the writable side of a pair was closed already");
      assertEquals(got, []);
    });
  }

  test(`nothing at all goes into a sink that was closed before, with ${name}`, async () => {
    const sink = new WritableStream<number>();
    await sink.close();
    const { chunksRead, chunksWritten } = await pipeline([] as number[], ...row as [], sink);
    assertEquals([chunksRead, chunksWritten, sink.locked], [0, 0, false]);
  });
}
