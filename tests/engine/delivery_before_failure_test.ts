import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attempt,
  compose,
  expand,
  filter,
  flatMap,
  fuse,
  groupBy,
  map,
  parallel,
  pipeline,
} from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";

const failure = new Error("a failure on purpose");

function failsAt<T>(n: number): (chunk: T, index: number) => T {
  return (chunk, index) => {
    if (index === n) throw failure;
    return chunk;
  };
}

/** Every operator that works ahead, in an order or without; each gives one chunk of each. */
const workers: Record<
  string,
  (fn: (n: number) => Promise<number>, concurrency: number) => Transformer<number, number>
> = {
  parallel: (fn, concurrency) => parallel(fn, { concurrency }),
  "parallel, unordered": (fn, concurrency) => parallel(fn, { concurrency, ordered: false }),
  "parallel, keys": (fn, concurrency) => parallel(fn, { concurrency, key: (n) => n }),
  "attempt of parallel": (fn, concurrency) =>
    attempt(parallel(fn, { concurrency }), { attempts: 1 }),
  "parallel that goes on": (fn, concurrency) => parallel(fn, { concurrency, stopOnError: false }),
  filter: (fn, concurrency) => filter(async (n: number) => await fn(n) >= 0, { concurrency }),
  flatMap: (fn, concurrency) => flatMap(async (n) => [await fn(n)], { concurrency }),
  "flatMap, unordered": (fn, concurrency) =>
    flatMap(async (n) => [await fn(n)], { concurrency, ordered: false }),
  "flatMap, generators": (fn, concurrency) =>
    flatMap(async function* (n) {
      yield fn(n);
    }, { concurrency }),
  // What is found stands for the chunk that it was found by.
  expand: (fn, concurrency) =>
    compose(
      expand(async (n: number) => n < 100 ? [100 + await fn(n)] : [], { concurrency }),
      filter((n) => n >= 100),
      map((n) => n - 100),
    ),
  groupBy: (fn, concurrency) => groupBy(() => 0, () => parallel(fn, { concurrency })),
  "groupBy, a key each": (fn) => groupBy((n) => n, () => map(fn)),
  "groupBy, behind another stage": (fn) =>
    groupBy((n) => n, () => compose(map((n: number) => n), map(fn))),
  "groupBy in groupBy": (fn, concurrency) =>
    groupBy(() => 0, () => groupBy((n: number) => n % 2, () => parallel(fn, { concurrency }))),
  "flatMap in compose": (fn, concurrency) =>
    compose(map((n: number) => n), flatMap(async (n) => [await fn(n)], { concurrency })),
  "a changed copy": (fn, concurrency) => ({
    ...flatMap(async (n: number) => [await fn(n)], { concurrency }),
  }),
};

for (const [name, make] of Object.entries(workers)) {
  for (const way of ["fuse", "pipeline"] as const) {
    for (const where of ["source", "stage"] as const) {
      test(`${name} delivers all that it has begun before its ${where} fails, by ${way}`, async () => {
        for (const waits of [0, 1, 5]) {
          const fn = async (n: number) => {
            for (let wait = 0; wait < waits; wait++) await turns(1);
            return n;
          };
          const sink = keepingSink({ highWaterMark: 1 });
          const source = () =>
            where === "stage" ? from(range(9)) : from((function* () {
              yield* range(4);
              throw failure;
            })());
          const first = map(failsAt<number>(where === "stage" ? 4 : -1));
          const run = way === "pipeline"
            ? pipeline(source(), first, make(fn, 5), sink.writable)
            : source().pipeThrough(fuse(first, make(fn, 5))).pipeTo(sink.writable);
          assertEquals(await errorOf(run), [failure]);
          assertEquals([[...sink.chunks].sort(), sink.abortReasons], [range(4), [failure]]);
        }
      });
    }

    test(`${name} gives up what it has begun when the run is aborted, by ${way}`, async () => {
      const abort = new AbortController();
      const { fn, calls } = held<number>();
      const sink = keepingSink({ highWaterMark: 1 });
      const source = countedSource({ length: 2, atEnd: "stall" }).readable;
      const run = errorOf(
        way === "pipeline"
          ? pipeline(source, make(fn, 5), sink.writable, { signal: abort.signal })
          : source.pipeThrough(fuse(make(fn, 5)))
            .pipeTo(sink.writable, { signal: abort.signal }),
      );
      await turns(5);
      abort.abort(failure);
      await turns(2);
      // A generator is closed once its call has ended.
      for (const call of calls) call.resolve(0);
      assertEquals(await run, [failure]);
      assertEquals([sink.chunks, sink.abortReasons], [[], [failure]]);
    });
  }
}
