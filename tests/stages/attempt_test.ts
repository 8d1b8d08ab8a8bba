import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { attempt, compose, filter, fuse, map, pipeline, tap, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

const at1 = { attempts: 1 };

function thrown(reason: unknown): never {
  throw reason;
}

test("attempt() waits as retry() does: twice as long each time, up to a limit, by chance half of it", async () => {
  const { random } = Math;
  const draws = [1, 0, 1, 1];
  Math.random = () => draws.shift()!;
  const fail = attempt(() => thrown("again"), { delayMs: 4, maxDelayMs: 10 });
  const delays = await withNotedTimers(() => errorOf(toArray([1], fail)))
    .finally(() => Math.random = random);
  assertEquals(delays, [4, 4, 10, 10]);
});

test("shouldRetry of attempt() may be a promise, and what it or onError throws is the failure", async () => {
  const reason = new Error("no");
  let calls = 0;
  const stage = attempt(() => {
    calls++;
    throw reason;
  }, { shouldRetry: (given) => Promise.resolve(given !== reason) });
  assertEquals(await errorOf(toArray([1], stage)), [reason]);
  assertEquals(calls, 1);
  for (const { reason } of reasons) {
    const fail = () => thrown(reason);
    const reject = () => Promise.reject(reason);
    for (
      const options of [
        ...[{ shouldRetry: fail }, { shouldRetry: reject }],
        ...[{ ...at1, onError: fail }, { ...at1, onError: reject }, { ...at1 }],
      ]
    ) {
      const stage = attempt(
        () => "shouldRetry" in options || "onError" in options ? thrown("another") : thrown(reason),
        options,
      );
      assertEquals(await errorOf(toArray([1], stage)), [reason]);
    }
  }
});

test("attempt() of stages begins again with the chunk as it came, indexes included", async () => {
  const seen: unknown[] = [];
  let fails = 2;
  const stage = attempt(
    compose(
      map((n: number, index) => ({ n, first: index })),
      filter(({ n }) => Promise.resolve(n % 2 === 1)),
      tap(({ n }, index) => {
        seen.push([n, index]);
        if (n === 3 && fails-- > 0) throw new Error("again");
      }),
      map(({ n, first }, index) => [n, first, index]),
    ),
    { delayMs: 0 },
  );
  assertEquals(await toArray([1, 2, 3, 4, 5], stage), [[1, 0, 0], [3, 2, 1], [5, 4, 2]]);
  assertEquals(seen, [[1, 0], [3, 1], [3, 1], [3, 1], [5, 2]]);
});

test("attempt() passes on a chunk that is a promise, and one of nothing", async () => {
  const promise = Promise.resolve("inside");
  const out: unknown[] = [];
  let fails = 1;
  const stage = attempt((chunk: unknown) => fails-- > 0 ? thrown("again") : chunk, { delayMs: 0 });
  const source = new TransformStream(stage);
  const writer = source.writable.getWriter();
  void writer.write({ chunk: promise });
  void writer.write(undefined);
  void writer.close();
  for await (const chunk of source.readable) out.push(chunk);
  assertEquals(out, [{ chunk: promise }, undefined]);
  const kept = attempt((chunk: unknown) => chunk, at1);
  const given: unknown[] = [];
  kept.transform!(promise, {
    enqueue: (chunk: unknown) => void given.push(chunk),
  } as TransformStreamDefaultController<unknown>);
  assert(given[0] === promise);
});

test("the signal that attempt() gives aborts while it waits, and no attempt follows", async () => {
  await using time = virtualTime();
  const signals: AbortSignal[] = [];
  const stage = attempt((_: number, __, { signal }) => {
    signals.push(signal);
    throw new Error("again");
  });
  const reader = countedSource().readable.pipeThrough(fuse(stage as never)).getReader();
  const read = reader.read();
  await time.advance(10);
  await reader.cancel("enough");
  await read;
  await time.advance(100_000);
  assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [[true, "enough"]]);
});

test("the counts of attempt() add up over stages, pairs of streams and an attempt within", async () => {
  const odd = (n: number) => n % 2 === 1 ? thrown("odd") : n;
  const skip = { attempts: 2, delayMs: 0, onError: () => "skip" as const };
  const { chunksRead, chunksSkipped, chunksRetried } = await pipeline(
    [1, 2, 3, 4],
    attempt(attempt(odd, skip), at1),
    new TransformStream<number, number>(),
    attempt((n: number) => n === 4 ? thrown("four") : n, skip),
    () => {},
  );
  assertEquals([chunksRead, chunksSkipped, chunksRetried], [4, 3, 3]);
  const plain = await pipeline([1], map((n) => n), () => {});
  assertEquals([plain.chunksSkipped, plain.chunksRetried], [0, 0]);
});
