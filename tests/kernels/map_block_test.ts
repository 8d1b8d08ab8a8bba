import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { MapKernel } from "../../src/kernels/map.ts";
import { blockSize, MapBlock } from "../../src/kernels/map_block.ts";
import { Slice } from "../../src/kernels/slice.ts";

type Fn = (chunk: unknown, index: number) => unknown;

const places = Array.from({ length: blockSize }, (_, place) => place);
const open = { isOpen: true };

/** A block of maps that add their place as a digit, but for the one at `place`; its calls by place. */
function blockOf(place: number, fn: Fn) {
  const calls: [chunk: unknown, index: number][][] = places.map(() => []);
  const kernels = places.map((at) =>
    new MapKernel((chunk, index) => {
      calls[at]!.push([chunk, index]);
      return at === place ? fn(chunk, index) : `${chunk}${at}`;
    })
  );
  kernels.forEach((kernel, at) => kernel.index = 10 * at);
  return { block: new MapBlock(kernels), kernels, calls };
}

function sliceOf(...chunks: unknown[]): Slice {
  const slice = new Slice();
  for (const chunk of chunks) slice.give(chunk);
  slice.swap();
  return slice;
}

const indices = (kernels: readonly MapKernel[]) => kernels.map(({ index }, at) => index - 10 * at);

test("a block of maps gives what they give one after the other", () => {
  const { block, kernels, calls } = blockOf(-1, () => {});
  const slice = sliceOf("a", "b", "c");
  assertEquals([block.run(slice, open), slice.kept, block.at], [3, 3, -1]);
  assertEquals(slice.items.slice(0, 3), ["a01234567", "b01234567", "c01234567"]);
  assertEquals(slice.promise, undefined);
  assertEquals(indices(kernels), places.map(() => 3));
  for (const at of places) {
    const before = "01234567".slice(0, at);
    const expected = ["a", "b", "c"].map((chunk, i) => [chunk + before, 10 * at + i]);
    assertEquals(calls[at], expected as never);
  }
});

for (const place of places) {
  test(`a block of maps stops at the promise of map ${place}`, () => {
    const promise = Promise.resolve();
    const { block, kernels, calls } = blockOf(
      place,
      (chunk) => String(chunk).startsWith("b") ? promise : "x",
    );
    const slice = sliceOf("a", "b", "c");
    assertEquals([block.run(slice, open), slice.kept, block.at], [1, 1, place]);
    assert(slice.promise === promise);
    assertEquals(slice.items.slice(1, 3), ["b", "c"]);
    assertEquals(indices(kernels), places.map((at) => at <= place ? 2 : 1));
    assertEquals(calls.map(({ length }) => length), places.map((at) => at <= place ? 2 : 1));
  });

  test(`a block of maps says that it was map ${place} which threw`, () => {
    const { block, kernels } = blockOf(place, (chunk) => {
      if (String(chunk).startsWith("c")) throw undefined;
      return "x";
    });
    const slice = sliceOf("a", "b", "c");
    let threw = false;
    try {
      block.run(slice, open);
    } catch (reason) {
      threw = reason === undefined;
    }
    assertEquals([threw, slice.kept, block.at], [true, 2, place]);
    assertEquals([slice.items[2], slice.promise], ["c", undefined]);
    assertEquals(indices(kernels), places.map((at) => at <= place ? 3 : 2));
  });

  test(`a promise that map ${place} got as its chunk is no promise of its own`, () => {
    const promise = Promise.resolve();
    const { block } = blockOf(place, (chunk) => chunk);
    const passing = places.map(() => new MapKernel((chunk) => chunk));
    const slice = sliceOf(promise);
    assertEquals([new MapBlock(passing).run(slice, open), slice.items[0] === promise], [1, true]);
    assertEquals([block.run(sliceOf("a"), open), block.at], [1, -1]);
  });
}

test("a block of maps takes no chunk more once its first stage is closed", () => {
  const first = { isOpen: true };
  const { block, kernels } = blockOf(3, (chunk) => {
    first.isOpen = false;
    return chunk;
  });
  const slice = sliceOf("a", "b");
  assertEquals([block.run(slice, first), slice.kept, block.at], [1, 1, -1]);
  assertEquals(indices(kernels), places.map(() => 1));
  assertEquals(block.run(sliceOf(), { isOpen: true }), 0);
});
