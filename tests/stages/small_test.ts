import { test } from "node:test";
import { inspect } from "node:util";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import {
  attempt,
  batch,
  batchBy,
  changes,
  compose,
  distinct,
  dropWhile,
  filter,
  flatMap,
  fuse,
  limitRate,
  lines,
  map,
  parallel,
  pipeline,
  scan,
  sliding,
  stage,
  take,
  takeUntil,
  takeWhile,
  tap,
  toArray,
  type Transformer,
} from "@hosepipe/streams";
import { testSource, virtualTime } from "@hosepipe/streams/testing";
import { countedSignal } from "../lib/counted_signal.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { operators } from "../lib/operators.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";
import { draws } from "../lib/thorough.ts";
import { turns } from "../lib/turns.ts";

// What small stages give, and how they fail; what all stages share is asked in tests/laws.

// deno-lint-ignore no-explicit-any
type Any = any;

type Call = (...args: Any[]) => Any;
const callers: Readonly<Record<string, (fn: Call) => Transformer<Any, unknown>>> = {
  batchBy: (fn) => batchBy(fn, 1),
  changes,
  "changes, by a comparer": (equals) =>
    compose(stage({ start: (to) => to.enqueue(0) }), changes({ equals })),
  distinct: (key) => distinct({ key }),
  dropWhile,
  filter,
  "filter, several at a time": (fn) => filter(fn, { concurrency: Infinity }),
  flatMap,
  map,
  parallel: (fn) => parallel(fn, { concurrency: 1 }),
  scan: (fn) => scan((_, chunk, index, context) => fn(chunk, index, context), 0),
  "scan, its seed": (seed) => scan((state) => state, { seed }),
  takeWhile,
  tap,
};

for (const [name, make] of Object.entries(callers)) {
  test(`${name}: what its function throws, or is rejected with, fails the stream`, async () => {
    for (const { reason } of reasons) {
      const thrower = () => {
        throw reason;
      };
      assertEquals(await errorOf(run([1], make(thrower))), [reason]);
      if (/comparer|seed/.test(name)) continue;
      assertEquals(await errorOf(run([1], make(() => Promise.reject(reason)))), [reason]);
    }
  });
  if (/comparer|seed/.test(name)) continue;
  test(`${name}: its function is given the chunk, its index and a signal of each stream`, async () => {
    const calls: [chunk: unknown, index: unknown, signal: AbortSignal][] = [];
    const stage = make((chunk, index, context) => {
      calls.push([chunk, index, context.signal]);
      return name === "flatMap" ? [chunk] : name === "dropWhile" ? index === -1 : chunk;
    });
    const readers = ["a", "b"].map((chunk) =>
      countedSource({ chunk: () => chunk }).readable.pipeThrough(new TransformStream(stage))
        .getReader()
    );
    for (const reader of readers) await reader.read();
    await turns();
    const ofStream = (name: string) => calls.filter(([chunk]) => chunk === name);
    const isOnce = name === "dropWhile";
    for (const name of ["a", "b"]) {
      const given = ofStream(name);
      assert(isOnce || given.length > 0);
      assertEquals(given.map(([, index]) => index), given.map((_, n) => n));
      assert(given.every(([, , signal]) => !signal.aborted));
    }
    await readers[0]!.cancel("why");
    assert(ofStream("a").every(([, , { reason }]) => reason === "why"));
    assert(ofStream("b").every(([, , { aborted }]) => !aborted));
    await readers[1]!.cancel();
  });
}

test("dropWhile asks no more once a chunk has stayed", async () => {
  const asked: number[] = [];
  await run([1, 2, 3, 1], dropWhile((n: number) => asked.push(n) < 3));
  assertEquals(asked, [1, 2, 3]);
});

test("sliding gives arrays of their own, and stage the very transformer", async () => {
  const [first, second] = await run([1, 2, 3], sliding<number>(2));
  first!.push(9);
  assertEquals(second, [2, 3]);
  const transformer = {};
  assertStrictEquals(stage(transformer), transformer);
});

for (
  const [name, make, output, reads] of [
    ["take", () => take(3), [0, 1, 2], 3],
    ["take of none", () => take(0), [], Infinity],
    ["takeWhile", () => takeWhile((n: number) => n < 3), [0, 1, 2], 4],
  ] as const
) {
  test(`${name} ends as soon as it may, and cancels the source`, async () => {
    const source = countedSource();
    const taken = source.readable.pipeThrough(new TransformStream<number, unknown>(make()));
    assertEquals(await Array.fromAsync(taken), [...output]);
    await turns();
    assertEquals([source.readCount <= reads, source.cancelReasons.length], [true, 1]);
  });
}

test("take(1) ends before the source says more, and take(0) takes no chunk", async () => {
  const source = new ReadableStream<string>({ start: (controller) => controller.enqueue("only") });
  assertEquals(await Array.fromAsync(source.pipeThrough(new TransformStream(take<string>(1)))), [
    "only",
  ]);
  const { readable, writable } = new TransformStream(take<number>(0));
  assertEquals(await readable.getReader().read(), { done: true, value: undefined });
  assertEquals((await errorOf(writable.getWriter().write(1))).length, 1);
});

const getName = (row: { name: string }) => row.name;
const isLong = (text: string) => text.length > 3;
const runtimes = globalThis as unknown as Record<string, { inspect(value: unknown): string }>;
/** What `console.log` writes. */
const shown = runtimes.Deno?.inspect ?? runtimes.Bun?.inspect ?? inspect;

test("console.log of a stage says what made it", () => {
  async function* readRows(source: AsyncIterable<string>) {
    yield* source;
  }
  const expected: [stage: object, text: string][] = [
    [map(getName), "map(getName)"],
    [map((n) => n), "map(fn)"],
    [filter(isLong), "filter(isLong)"],
    [tap(console.log), "tap(log)"],
    [flatMap(Array), "flatMap(Array)"],
    [parallel(getName, { concurrency: 2 }), "parallel(getName)"],
    [batch(3), "batch()"],
    [lines(), "lines()"],
    [distinct(), "distinct()"],
    [scan((a: number, b: number) => a + b, 0), "scan(fn)"],
    [take(1), "take()"],
    [stage(readRows), "stage(readRows)"],
    [attempt(getName), "attempt(getName)"],
    [attempt(parallel(getName, { concurrency: 2 })), "attempt(getName)"],
    [compose(map(getName), filter(isLong)), "compose(map(getName), filter(isLong))"],
    [compose(readRows, lines()), "compose(stage(readRows), lines())"],
    [compose(), "compose()"],
  ];
  for (const [stage, text] of expected) {
    assertEquals([shown(stage), inspect(stage)], [text, text]);
    assert(shown({ inside: [stage] }).includes(text));
  }
});

test("every stage that the package exports says its name", () => {
  for (const { name, make } of operators) {
    const made = make();
    // Not made by the package, or a map by another name.
    if (/by hand|no transform|^stage$|^formatNdjson$/.test(name)) continue;
    const text = shown(made);
    if (text.startsWith("{") || text.startsWith("compose(")) continue;
    assert(text.startsWith(`${name.split(",")[0]}(`), `${name}: ${text}`);
  }
});

test("a copy of a stage shows what is in it, as any object", () => {
  assert(shown({ ...map(getName), flush() {} }).includes("flush"));
  assert(shown({ ...take(1) }).includes("transform"));
});

const throughWays: Readonly<
  Record<
    string,
    (source: ReadableStream<number>, stage: Transformer<number, number>) => ReadableStream<number>
  >
> = {
  native: (source, stage) => source.pipeThrough(new TransformStream(stage)),
  fused: (source, stage) => source.pipeThrough(fuse(stage)),
};

for (const [way, through] of Object.entries(throughWays)) {
  for (const by of ["a signal", "a promise", "a rejection"] as const) {
    test(`takeUntil() ends at once by ${by} while nothing comes, ${way} and in a run`, async () => {
      for (const isRun of [false, true]) {
        const source = testSource<number>();
        const listened = countedSignal();
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const stage = takeUntil<number>(by === "a signal" ? listened.signal : promise);
        const written: number[] = [];
        const write = (n: number) => void written.push(n);
        const job = isRun
          ? pipeline(source.readable, stage, write)
          : pipeline(through(source.readable, stage), write);
        const ended = errorOf(job);
        await turns();
        source.give(1);
        await turns();
        if (by === "a signal") listened.abort("not a failure");
        else if (by === "a promise") resolve();
        else reject(undefined);
        assertEquals([await ended, written], [by === "a rejection" ? [undefined] : "none", [1]]);
        await turns();
        assertEquals([source.state, listened.listeners()], ["cancelled", 0]);
      }
    });
  }

  test(`takeUntil() with a signal that has aborted ends before any chunk, ${way}`, async () => {
    const source = countedSource();
    assertEquals(await toArray(through(source.readable, takeUntil(AbortSignal.abort()))), []);
    await turns();
    assertEquals(source.cancelReasons.length, 1);
  });

  test(`takeUntil() leaves no listener after the end and a cancel, ${way}`, async () => {
    const listened = countedSignal();
    const stage = takeUntil<number>(listened.signal);
    for (let n = 0; n < 100; n++) {
      const stream = through(countedSource({ length: 3 }).readable, stage);
      if (n % 2 === 0) await stream.cancel();
      else assertEquals(await toArray(stream), [0, 1, 2]);
    }
    await turns();
    assertEquals(listened.listeners(), 0);
  });
}

test("one takeUntil() in several streams ends all of them", async () => {
  const stop = new AbortController();
  const stage = takeUntil<number>(stop.signal);
  const streams = [testSource<number>(), testSource<number>(), testSource<number>()];
  const ended = streams.map(({ readable }) =>
    Array.fromAsync(readable.pipeThrough(new TransformStream(stage)))
  );
  await turns();
  streams[1]!.give(1);
  await turns();
  stop.abort();
  assertEquals(await Promise.all(ended), [[], [1], []]);
});

test("a promise that many takeUntil() watch is asked once at a time", async () => {
  let asked = 0;
  const never = new Promise<void>(() => {});
  const { then } = never;
  never.then = ((...args: Parameters<typeof then>) => {
    asked++;
    return then.apply(never, args);
  }) as typeof then;
  for (let n = 0; n < 1000; n++) assertEquals(await run([n], takeUntil<number>(never)), [n]);
  assertEquals(asked, 1);
});

test("limitRate() never lets more through in any time than burst and rate, and no less than it could", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 50 }),
      async (costs, perSecond) => {
        await using time = virtualTime();
        const seen: { cost: number; atMs: number }[] = [];
        const done = pipeline(
          costs,
          limitRate<number>({ perSecond, burst: 8, cost: (n) => n }),
          (cost) => void seen.push({ cost, atMs: time.now }),
        );
        await time.advance(100_000);
        await done;
        assertEquals(seen.map(({ cost }) => cost), costs);
        // The bucket by hand.
        let tokens = 8;
        let lastMs = 0;
        for (const { cost, atMs } of seen) {
          tokens = Math.min(8, tokens + (atMs - lastMs) * perSecond / 1000) - cost;
          lastMs = atMs;
          assert(tokens > -1e-6, `${tokens} tokens`);
        }
        const total = costs.reduce((sum, cost) => sum + cost, 0);
        const latestMs = Math.max(0, total - 8) * 1000 / perSecond + costs.length + 1;
        assert(lastMs <= latestMs, `${lastMs} > ${latestMs}`);
      },
    ),
    { numRuns: draws(40) },
  );
});
