import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { filter, iterate, map, type PipelineStage, toArray } from "@hosepipe/streams";
import { pendingRuns } from "@hosepipe/streams/inspect";
import { testSource } from "@hosepipe/streams/testing";
import { asyncDispose } from "../../src/async_dispose.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";

/** Chains in which chunks go another way each. */
const chains: Readonly<Record<string, () => PipelineStage<number, number>>> = {
  "nothing": () => map((n: number) => n),
  "a promise": () => map((n: number) => Promise.resolve(n)),
  "a generator": () =>
    async function* (source: AsyncIterable<number>) {
      yield* source;
    },
  "a pair": () => new TransformStream<number, number>(),
};

for (const [name, make] of Object.entries(chains)) {
  test(`iterate() gives what comes out, through ${name}`, async () => {
    const chunks: number[] = [];
    for await (const n of iterate([1, 2, 3, 4], filter((n: number) => n > 1), make())) {
      chunks.push(n);
      await turns(1);
    }
    assertEquals(chunks, [2, 3, 4]);
    assertEquals(await toArray(iterate([], make())), []);
  });

  test(`a loop over iterate() that is left cancels the source, through ${name}`, async () => {
    const source = countedSource();
    for await (const n of iterate(source.readable, make())) if (n === 2) break;
    assertEquals([source.cancelReasons.length, source.readable.locked], [1, false]);
  });

  for (const reason of reasons) {
    test(`iterate() gives the chunks before a failure ${reason}, and then that, through ${name}`, async () => {
      const source = countedSource({ length: 2, atEnd: { reason } });
      const iterator = iterate(source.readable, make());
      const chunks: number[] = [];
      const error = await errorOf((async () => {
        for await (const n of iterator) chunks.push(n);
      })());
      assertEquals(error, [reason]);
      // Pairs of native streams drop what is queued when they fail.
      if (name !== "a pair") assertEquals(chunks, [0, 1]);
      assertEquals(await iterator.next(), { done: true, value: undefined });
    });
  }
}

test("iterate() begins with the first next(), and reads nothing while it is asked for nothing", async () => {
  const source = countedSource();
  const iterator = iterate(source.readable, map((n: number) => n));
  await turns();
  assertEquals([source.readCount, source.readable.locked], [0, false]);
  assertEquals(await iterator.next(), { done: false, value: 0 });
  await turns();
  assertEquals(source.readCount, 1);
  assertEquals(await Promise.all([iterator.next(), iterator.next(), iterator.next()]), [
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: false, value: 3 },
  ]);
  await turns();
  assertEquals(source.readCount, 4);
  assertEquals(await iterator.return(undefined), { done: true, value: undefined });
  assertEquals(source.cancelReasons.length, 1);
});

test("iterate() that ends before it has begun leaves its source alone", async () => {
  const source = countedSource();
  const iterator = iterate(source.readable);
  await iterator.return(undefined);
  assertEquals((await iterator.next()).done, true);
  assertEquals([source.readable.locked, source.cancelReasons], [false, []]);
});

test("return(), throw() and await using end iterate() while it waits for a chunk", async () => {
  const ways = {
    return: (iterator: AsyncGenerator<number, undefined>) => iterator.return(undefined),
    throw: (iterator: AsyncGenerator<number, undefined>) => errorOf(iterator.throw("why")),
    dispose: (iterator: AsyncGenerator<number, undefined>) =>
      (iterator as unknown as { [asyncDispose](): Promise<void> })[asyncDispose](),
  };
  const answers = { return: { done: true, value: undefined }, throw: ["why"], dispose: undefined };
  for (const [name, end] of Object.entries(ways)) {
    const source = testSource<number>();
    const iterator = iterate(source.readable);
    const next = iterator.next();
    await turns();
    assertEquals(await end(iterator), answers[name as keyof typeof answers]);
    assertEquals([await next, source.state], [{ done: true, value: undefined }, "cancelled"]);
    assertEquals(await iterator.next(), { done: true, value: undefined });
  }
});

test("a loop that is left fails with what the source's cancel fails with", async () => {
  const source = new ReadableStream({
    pull: (controller) => controller.enqueue(1),
    cancel: () => Promise.reject("cancel"),
  });
  const loop = async () => {
    for await (const _ of iterate(source)) break;
  };
  assertEquals(await errorOf(loop()), ["cancel"]);
});

for (const when of ["it waits for a chunk", "a chunk is in use", "it is asked for nothing more"]) {
  test(`a signal that aborts ends iterate() at once, while ${when}`, async () => {
    const unhandled = collectUnhandled();
    const { controller, signal, listeners } = countedSignal();
    const source = countedSource({ length: 1, atEnd: "stall" });
    const iterator = iterate(source.readable, map((n: number) => n), { signal });
    assertEquals(await iterator.next(), { done: false, value: 0 });
    const next = when === "it waits for a chunk" ? errorOf(iterator.next()) : undefined;
    await turns();
    controller.abort("enough");
    await turns();
    if (when !== "it is asked for nothing more") {
      assertEquals(await (next ?? errorOf(iterator.next())), ["enough"]);
      assertEquals((await iterator.next()).done, true);
    }
    assertEquals([source.cancelReasons, listeners()], [["enough"], 0]);
    await turns();
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });
}

test("a run of iterate() that waits for its loop says so", async () => {
  const iterator = iterate([1, 2], { runName: "rows" });
  await iterator.next();
  const run = pendingRuns().find(({ pipeline }) => pipeline === "rows")!;
  assertEquals(run.waitsFor.map(({ side, name }) => [side, name]), [["sink", "loop"]]);
  await iterator.return(undefined);
});

test("iterate() refuses what it cannot use", async () => {
  assertThrows(() => iterate([], { most: 1 } as never), TypeError, "Cannot run iterate: unknown");
  const bad = iterate(5 as never);
  await assertRejects(() => bad.next(), TypeError, "Cannot run iterate: source");
  const stage = iterate([1], { tranform() {} } as never, map((n) => n));
  await assertRejects(() => stage.next(), TypeError, "Cannot run iterate: stage 1");
});
