import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import fc from "fast-check";
import { FilterKernel } from "../../src/kernels/filter.ts";
import type { FunctionKernel, StageFunction } from "../../src/kernels/function_kernel.ts";
import { NONE, type OneKernel, WAIT } from "../../src/kernels/kernel.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { TapKernel } from "../../src/kernels/tap.ts";
import { Slice } from "../../src/kernels/slice.ts";

type Kernel = FunctionKernel & OneKernel;

const kernels: Record<string, new (fn: StageFunction) => Kernel> = {
  map: MapKernel,
  filter: FilterKernel,
  tap: TapKernel,
};

/** What a function answers to its n-th chunk. */
type Answer = "yes" | "no" | "truthy" | "falsy" | "nothing" | "promise" | "throw";
const answers: fc.Arbitrary<Answer[]> = fc.array(
  fc.constantFrom<Answer>("yes", "no", "truthy", "falsy", "nothing", "promise", "throw"),
  { maxLength: 9 },
);
const failure = new Error("on purpose");
const values = { yes: true, no: false, truthy: "x", falsy: 0, nothing: undefined };

/** A kernel whose function answers as it is to, and what it is called with. */
function kernelOf(name: string, all: readonly Answer[]) {
  const calls: [chunk: unknown, index: number][] = [];
  const promises: Promise<unknown>[] = [];
  const kernel = new kernels[name]!((chunk, index) => {
    calls.push([chunk, index]);
    const answer = all[index]!;
    if (answer === "throw") throw failure;
    if (answer !== "promise") return values[answer];
    promises.push(Promise.resolve(index % 2 === 0));
    return promises.at(-1);
  });
  return { kernel, calls, promises };
}

/** What goes on of each chunk, by `one`: until one throws. */
async function byOne(name: string, all: readonly Answer[]) {
  const { kernel, calls, promises } = kernelOf(name, all);
  const out: unknown[] = [];
  let waits = 0;
  try {
    for (let n = 0; n < all.length; n++) {
      let result = kernel.one(n);
      if (result === WAIT) {
        const promise = kernel.takePromise();
        assertStrictEquals(promise, promises[waits++]);
        result = kernel.settle(await promise, n);
      }
      if (result !== NONE) out.push(result);
    }
  } catch (error) {
    assertStrictEquals(error, failure);
    out.push("failed");
  }
  return { out, calls, index: kernel.index, waits };
}

/** The same by `run`, in slices. */
async function byRun(name: string, all: readonly Answer[]) {
  const { kernel, calls, promises } = kernelOf(name, all);
  const out: unknown[] = [];
  let waits = 0;
  const slice = new Slice();
  try {
    for (let from = 0; from < all.length;) {
      const count = Math.min(4, all.length - from);
      for (let n = 0; n < count; n++) slice.give(from + n);
      slice.swap();
      let stopped: number | undefined;
      try {
        stopped = kernel.run(slice);
      } finally {
        out.push(...slice.items.slice(0, slice.kept));
      }
      if (stopped < count) {
        const promise = kernel.takePromise();
        assertStrictEquals(promise, promises[waits++]);
        const result = kernel.settle(await promise, from + stopped);
        if (result !== NONE) out.push(result);
        stopped++;
      }
      from += stopped;
    }
  } catch (error) {
    assertStrictEquals(error, failure);
    out.push("failed");
  }
  return { out, calls, index: kernel.index, waits };
}

for (const name of Object.keys(kernels)) {
  test(`${name} does the same to a slice as to each chunk by itself`, async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (all) => {
        assertEquals(await byRun(name, all), await byOne(name, all));
      }),
      { numRuns: 200 },
    );
  });
}

test("what goes on is a map's result, a tap's chunk, and a filter's where its result is truthy", async () => {
  const all: Answer[] = ["yes", "no", "truthy", "falsy", "nothing", "promise", "promise"];
  const outOf = async (name: string) => (await byOne(name, all)).out;
  assertEquals(await outOf("map"), [true, false, "x", 0, undefined, false, true]);
  assertEquals(await outOf("tap"), [0, 1, 2, 3, 4, 5, 6]);
  assertEquals(await outOf("filter"), [0, 2, 6]);
});

test("a map waits for a promise that it made, and not for one that it was given", () => {
  const given = Promise.resolve(1);
  const thenable = { then() {} };
  for (const chunk of [given, thenable]) {
    const kernel = new MapKernel((chunk) => chunk);
    assertStrictEquals(kernel.one(chunk), chunk);
    const slice = new Slice();
    slice.give(chunk);
    slice.swap();
    assertEquals([kernel.run(slice), slice.kept], [1, 1]);
    assertStrictEquals(slice.items[0], chunk);
    const made = new MapKernel(() => chunk);
    assertEquals(made.one(0), WAIT);
    assertStrictEquals(made.takePromise(), chunk);
    slice.load(0);
    assertEquals([made.run(slice), slice.kept], [0, 0]);
    assertStrictEquals(made.takePromise(), chunk);
    assertEquals(made.index, 2);
  }
});
