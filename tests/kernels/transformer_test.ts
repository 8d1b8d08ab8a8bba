import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { type Answer, DONE, FAILED, WAITS } from "../../src/kernels/kernel.ts";
import { TransformerKernel } from "../../src/kernels/transformer.ts";
import { Slice } from "../../src/kernels/slice.ts";

type Transform = (this: unknown, chunk: number, controller: Slice) => unknown;

/** Runs a transform over these chunks; its controller is the work that it may give into. */
function run(transform: Transform, chunks: readonly number[], limit = 128) {
  const collects: (Slice | undefined)[] = [];
  const slice = new Slice();
  for (const chunk of chunks) slice.give(chunk);
  slice.swap();
  slice.limit = limit;
  const host = {
    controller: slice,
    isOpen: true,
    wake() {},
    collectIn: (into: Slice | undefined) => void collects.push(into),
  };
  const transformer = {};
  const kernel = new TransformerKernel(host);
  kernel.begin(transformer, transform as never);
  const answer: Answer = kernel.run(slice);
  assertEquals(collects.length, 2);
  assertStrictEquals(collects[0], slice);
  assertEquals([collects[1], kernel.hasMore, kernel.more()], [undefined, false, DONE]);
  return { answer, slice, host, kernel, transformer, given: slice.out.slice(0, slice.outCount) };
}

test("a transform is waited for only if it answers a promise, of whatever kind", () => {
  for (const result of [undefined, null, 0, 5, "", "then", false, {}, { then: 1 }, () => {}]) {
    const { answer, slice, given } = run((chunk, controller) => {
      controller.give(chunk + 1);
      return result;
    }, [1, 2, 3]);
    assertEquals([answer, slice.taken, slice.promise, given], [DONE, 3, undefined, [2, 3, 4]]);
  }
  const thenable = { then() {} };
  for (const result of [Promise.resolve(), thenable, Object.assign(() => {}, thenable)]) {
    const { answer, slice, given } = run((chunk, controller) => {
      controller.give(chunk);
      return chunk === 2 ? result : undefined;
    }, [1, 2, 3]);
    assertEquals([answer, slice.taken, given, slice.items.slice(0, 3)], [
      ...[WAITS, 2, [1, 2]],
      [undefined, undefined, 3],
    ]);
    assertStrictEquals(slice.promise, result);
  }
});

test("a transform is called no more once it has failed, given enough or closed its stage", () => {
  for (const reason of [new Error("no"), undefined]) {
    const { answer, slice, given } = run((chunk, controller) => {
      controller.give(chunk);
      if (chunk === 2) throw reason;
    }, [1, 2, 3]);
    assertEquals([answer, slice.taken, given, slice.reason], [FAILED, 2, [1, 2], reason]);
  }
  const enough = run(
    (chunk, controller) => {
      controller.give(chunk);
      controller.give(chunk);
    },
    [1, 2, 3],
    4,
  );
  assertEquals([enough.answer, enough.slice.taken, enough.given], [DONE, 2, [1, 1, 2, 2]]);
  let seen = 0;
  const closed = run(() => void seen++, [1, 2, 3]);
  closed.host.isOpen = false;
  closed.slice.load(4);
  assertEquals([closed.kernel.run(closed.slice), closed.slice.taken, seen], [DONE, 0, 3]);
});

test("a transform is called as its own, with the chunk and the controller, whatever call it has", () => {
  for (const hasOwnCall of [false, true]) {
    const calls: unknown[][] = [];
    const transform = function (this: unknown, ...args: unknown[]) {
      calls.push([this, ...args]);
    };
    if (hasOwnCall) Object.assign(transform, { call: () => calls.push(["not asked"]) });
    const { transformer, slice } = run(transform as never, [7]);
    assertEquals(calls.length, 1);
    assertStrictEquals(calls[0]![0], transformer);
    assertEquals(calls[0]![1], 7);
    assertStrictEquals(calls[0]![2], slice);
  }
});
