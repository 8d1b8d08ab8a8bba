import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { map } from "../../src/stages/map.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { meaningOf } from "../../src/kernels/registry.ts";
import { callTransform } from "../lib/call_transform.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

test("map() gives the function's results in order, with the index", async () => {
  const stage = map((chunk: string, index) => `${index}${chunk}`);
  assertEquals(await run(["a", "b", "c"], stage), ["0a", "1b", "2c"]);
});

test("map() of nothing is nothing", async () => {
  assertEquals(await run([], map((chunk: number) => chunk)), []);
});

test("map() waits for promises and other thenables, one at a time", async () => {
  let running = 0;
  const stage = map(async (chunk: number) => {
    assertEquals(++running, 1);
    await Promise.resolve();
    running--;
    return chunk * 2;
  });
  assertEquals(await run([1, 2, 3], stage), [2, 4, 6]);
  const thenable = map((chunk: number) =>
    ({
      then: (resolve: (value: number) => void) => resolve(chunk + 1),
    }) as unknown as PromiseLike<number>
  );
  assertEquals(await run([1], thenable), [2]);
});

test("map() answers at once when its function does", () => {
  assertEquals(callTransform(map((chunk: number) => chunk + 1), 1), {
    result: undefined,
    enqueued: [2],
  });
});

test("map() hands on undefined and null as chunks", async () => {
  assertEquals(await run([undefined, null], map((chunk) => chunk)), [undefined, null]);
});

for (const error of [new Error("broken"), undefined]) {
  test(`map() fails with what its function throws or rejects with: ${error}`, async () => {
    for (
      const fn of [() => {
        throw error;
      }, () => Promise.reject(error)]
    ) {
      assertEquals(await errorOf(run([1], map(fn))), [error]);
    }
  });
}

test("map() reads no further ahead than the queues allow", async () => {
  const source = countedSource();
  const mapped = source.readable.pipeThrough(new TransformStream(map((chunk: number) => chunk)));
  const defaultReader = mapped.getReader();
  for (let count = 0; count < 3; count++) await defaultReader.read();
  await turns();
  assertEquals(source.readCount, 4);
  await defaultReader.cancel("enough");
  await turns();
  assertEquals(source.cancelReasons, ["enough"]);
});

test("one map() in two streams counts in each from 0", async () => {
  const stage = map((chunk: string, index) => chunk + index);
  const [left, right] = ["a", "b"].map((chunk) =>
    from([chunk, chunk]).pipeThrough(new TransformStream(stage)).getReader()
  );
  const values: unknown[] = [];
  for (const reader of [left!, right!, left!, right!]) values.push((await reader.read()).value);
  assertEquals(values, ["a0", "b0", "a1", "b1"]);
});

test("map() tells the engine what it does", () => {
  const fn = (chunk: number): number => chunk;
  const stage = map(fn);
  for (const key of [stage, stage.transform!]) {
    assertInstanceOf(meaningOf(key)!.makeKernel!(), MapKernel);
  }
});

test("map() refuses what is not a function", () => {
  assertThrows(
    () => map(5 as never),
    TypeError,
    "Cannot create map: fn must be a function, got 5",
  );
});
