import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { filter, fuse, map, take } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import type { Stage } from "../lib/operator.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";

// What only a caller without types does.
// deno-lint-ignore no-explicit-any
const untyped = fuse as (...args: any[]) => ReadableWritablePair<unknown, unknown>;

test("fuse gives a pair of native streams and nothing else", async () => {
  const pair = fuse(map((n: number) => n + 1), filter((n) => n % 2 === 0));
  assertEquals(Object.keys(pair).toSorted(), ["readable", "writable"]);
  assert(pair.readable instanceof ReadableStream && pair.writable instanceof WritableStream);
  assertEquals(await Array.fromAsync(from(range(5)).pipeThrough(pair)), [2, 4]);
});

test("fuse takes its strategies last, undefined for none, and refuses what it does not know", async () => {
  const pair = untyped(map((n) => n), undefined);
  assertEquals(await Array.fromAsync(from([1]).pipeThrough(pair)), [1]);
  assertThrows(
    () => untyped(map((n) => n), { writableStrategy: {}, readable: {} }),
    TypeError,
    "readable",
  );
  assertThrows(
    () => untyped(map((n) => n), {}),
    TypeError,
    "Cannot fuse: stage 2 has no method of a stage; did you mean strategies",
  );
  for (const name of ["writableStrategy", "readableStrategy"]) {
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: -1 } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: NaN } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { size: 1 } }), TypeError);
  }
});

test("fuse refuses what is no transformer, before any stage has started", () => {
  let started = 0;
  const stage: Stage = { start: () => void started++ };
  for (const bad of [5, null, "map", (chunk: unknown) => chunk]) {
    assertThrows(() => untyped(stage, bad), TypeError);
  }
  for (const method of ["start", "transform", "flush", "cancel"]) {
    assertThrows(() => untyped(stage, { [method]: 1 }), TypeError);
  }
  for (const type of ["readableType", "writableType"]) {
    assertThrows(() => untyped(stage, { [type]: "bytes" }), RangeError);
  }
  assertEquals(started, 0);
});

test("fuse throws what a start throws, and fails with what one rejects with", async () => {
  const reason = new Error("start");
  const thrown = errorOf(
    Promise.resolve().then(() =>
      fuse({}, {
        start() {
          throw reason;
        },
      })
    ),
  );
  assertStrictEquals((await thrown as [unknown])[0], reason);
  const pair = fuse({ start: () => Promise.reject(reason) });
  const writing = errorOf(pair.writable.getWriter().write(1));
  assertEquals(await errorOf(pair.readable.getReader().read()), [reason]);
  assertEquals(await writing, [reason]);
});

test("fuse begins with the first chunk once every start has ended", async () => {
  const started = Promise.withResolvers<void>();
  const log: string[] = [];
  const pair = fuse(
    map((n: number) => {
      log.push(`map ${n}`);
      return n;
    }),
    {
      async start() {
        await started.promise;
        log.push("started");
      },
      transform: (n: number, controller: TransformStreamDefaultController<number>) =>
        controller.enqueue(n),
    },
  );
  const chunks = Array.fromAsync(from([1, 2]).pipeThrough(pair));
  await turns();
  assertEquals(log.includes("map 2"), false);
  started.resolve();
  assertEquals(await chunks, [1, 2]);
  assertEquals(log.includes("started"), true);
});

test("fuse's ends have the strategies they are given, counted by their sizes", async () => {
  const size = (text: string) => text.length;
  const pair = fuse(map((text: string) => `${text}${text}`), {
    writableStrategy: { highWaterMark: 10, size },
    readableStrategy: { highWaterMark: 20, size },
  });
  const writer = pair.writable.getWriter();
  assertEquals(writer.desiredSize, 10);
  writer.write("abc");
  assertEquals(writer.desiredSize, 7);
  await turns();
  assertEquals(writer.desiredSize, 10);
  // Twice 6 are in the outgoing queue, of 20.
  for (const text of ["abc", "abcd"]) writer.write(text);
  await turns();
  assertEquals(writer.desiredSize, 10);
  writer.write("too much");
  await turns();
  assertEquals(writer.desiredSize, 2);
  assertEquals((await pair.readable.getReader().read()).value, "abcabc");
});

test("a stage of fuse that has enough closes the output and fails the input, as terminate does", async () => {
  const source = countedSource();
  const pair = fuse(map((n: number) => n), take(2));
  assertEquals(await Array.fromAsync(source.readable.pipeThrough(pair)), [0, 1]);
  await turns();
  assertEquals(source.cancelReasons.map((reason) => reason instanceof TypeError), [true]);
  assertEquals((await errorOf(pair.writable.getWriter().closed))[0] instanceof TypeError, true);
});

test("aborting fuse's input fails its output, cancelling its output fails its input, with the reason", async () => {
  const aborted = fuse(map((n: number) => n));
  const reading = errorOf(aborted.readable.getReader().read());
  await aborted.writable.abort("why");
  assertEquals(await reading, ["why"]);

  const cancelled = fuse(map((n: number) => n));
  const writer = cancelled.writable.getWriter();
  await cancelled.readable.cancel("why");
  assertEquals(await errorOf(writer.write(1)), ["why"]);
});

for (const isKernel of [true, false]) {
  const made = isKernel ? "an operator" : "a stage of the user's own";
  test(`a chunk written during a cancel waits for it: ${made}`, async () => {
    const cancelled = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const own: Stage = {
      transform(chunk, controller) {
        seen.push(chunk);
        controller.enqueue(chunk);
      },
    };
    const stage = isKernel ? map((chunk) => (seen.push(chunk), chunk)) : own;
    const { readable, writable } = fuse({ ...stage, cancel: () => cancelled.promise } as Stage);
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const reader = readable.getReader();
    const read = reader.read();
    await turns();
    const cancel = reader.cancel("why");
    let isSettled = false;
    const written = errorOf(writer.write(1)).finally(() => isSettled = true);
    await turns();
    assertEquals([isSettled, (await read).done], [false, true]);
    cancelled.resolve();
    await cancel;
    assertEquals([await written, seen], [["why"], []]);
  });
}

test("what an operator makes after a cancel is dropped, and its write succeeds", async () => {
  const gate = Promise.withResolvers<void>();
  const { readable, writable } = fuse(map((chunk: number) => gate.promise.then(() => chunk)));
  const writer = writable.getWriter();
  const closed = errorOf(writer.closed);
  const reader = readable.getReader();
  const read = reader.read();
  const written = errorOf(writer.write(1));
  await turns();
  await reader.cancel("why");
  gate.resolve();
  assertEquals([await written, await closed, (await read).done], ["none", ["why"], true]);
});
