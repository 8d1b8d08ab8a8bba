import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batch, fuse, map, pipeline, type Transformer } from "@hosepipe/streams";
import { BatchKernel } from "../../src/kernels/batch.ts";
import { NONE } from "../../src/kernels/kernel.ts";
import { Slice } from "../../src/kernels/slice.ts";

test("a batch kernel makes of a slice the batches that are full, and keeps the rest", () => {
  const kernel = new BatchKernel(2);
  const slice = new Slice();
  slice.items = [1, 2, 3, 4, 5];
  slice.count = 5;
  assertEquals([kernel.run(slice), slice.kept, kernel.index], [5, 2, 5]);
  assertEquals(slice.items.slice(0, 2), [[1, 2], [3, 4]]);
  assertEquals([kernel.flush(), kernel.flush()], [[5], NONE]);
});

test("a batch kernel that was stopped gives nothing more", () => {
  const kernel = new BatchKernel(2);
  assertEquals(kernel.one(1), NONE);
  kernel.stop();
  assertEquals(kernel.flush(), NONE);
});

const ways: Readonly<
  Record<string, (stages: Transformer<unknown, unknown>[]) => Promise<unknown[]>>
> = {
  async pipeline(stages) {
    const got: unknown[] = [];
    await pipeline([1, 2, 3, 4, 5], ...stages as [], (chunk: unknown) => void got.push(chunk));
    return got;
  },
  fuse: (stages) =>
    Array.fromAsync(
      ReadableStream.from([1, 2, 3, 4, 5]).pipeThrough(fuse(...stages as [Transformer])),
    ),
  native(stages) {
    let readable: ReadableStream<unknown> = ReadableStream.from([1, 2, 3, 4, 5]);
    for (const stage of stages) readable = readable.pipeThrough(new TransformStream(stage));
    return Array.fromAsync(readable);
  },
};

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: what a batch has at the end walks on through the stages after it, a second batch too`, async () => {
    const last = map((chunk) => chunk) as Transformer<unknown, unknown>;
    const twice = [batch(2), batch(2), last] as Transformer<unknown, unknown>[];
    assertEquals(await way(twice), [[[1, 2], [3, 4]], [[5]]]);
  });

  test(`${name}: a changed copy of a batch keeps what it has at the end`, async () => {
    const copy = { ...batch(2) } as Transformer<unknown, unknown>;
    assertEquals(await way([copy]), [[1, 2], [3, 4], [5]]);
  });
}
