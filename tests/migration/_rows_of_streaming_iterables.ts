import * as theirs from "streaming-iterables";
import {
  batch,
  concat,
  drop,
  filter,
  flatMap,
  iterate,
  map,
  merge,
  parallel,
  pipeline,
  reduce,
  take,
  tap,
  toArray,
} from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { type Row, row, through, without } from "./_row.ts";

const twice = (n: number) => [n, n * 10];

export const rowsOfStreamingIterables: readonly Row[] = [
  row("`map(fn)`", "`map(fn)`", {
    theirs: (source, fn) => theirs.map((n: number) => fn(n) + 1, source),
    ours: (source, fn) => through(source, map((n: number) => fn(n) + 1)),
  }),
  row("`filter(fn)`", "`filter(fn)`", {
    theirs: (source, fn) => theirs.filter((n: number) => fn(n) > 1, source),
    ours: (source, fn) => through(source, filter((n: number) => fn(n) > 1)),
  }),
  row("`parallelMap(n, fn)`", "`parallel(fn, { concurrency: n })`", {
    theirs: (source, fn) => theirs.parallelMap(2, async (n: number) => await fn(n), source),
    ours: (source, fn) =>
      through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
  }),
  row("`transform(n, fn)`", "`parallel(fn, { concurrency: n, ordered: false })`", {
    theirs: (source, fn) => theirs.transform(2, async (n: number) => await fn(n), source),
    ours: (source, fn) =>
      through(
        source,
        parallel(async (n: number) => await fn(n), { concurrency: 2, ordered: false }),
      ),
  }),
  row("`flatMap(fn)`", "`flatMap(fn)`", {
    theirs: (source, fn) => theirs.flatMap((n: number) => twice(fn(n)), source),
    ours: (source, fn) => through(source, flatMap((n: number) => twice(fn(n)))),
  }),
  row("`parallelFlatMap(n, fn)`", "`flatMap(fn, { concurrency: n })`", {
    theirs: (source, fn) =>
      theirs.parallelFlatMap(2, (n: number) => Promise.resolve(from(twice(fn(n)))), source),
    ours: (source, fn) =>
      through(source, flatMap((n: number) => from(twice(fn(n))), { concurrency: 2 })),
  }),
  row("`flatTransform(n, fn)`", "`flatMap(fn, { concurrency: n, ordered: false })`", {
    theirs: (source, fn) =>
      theirs.flatTransform(2, (n: number) => Promise.resolve(twice(fn(n))), source),
    ours: (source, fn) =>
      through(source, flatMap((n: number) => twice(fn(n)), { concurrency: 2, ordered: false })),
  }),
  row("`flatten(source)`", "`flatMap((items) => items)`, level by level", {
    theirs: (source, fn) => theirs.flatten(theirs.map((n: number) => twice(fn(n)), source)),
    ours: (source, fn) =>
      through(source, map((n: number) => twice(fn(n))), flatMap((items: number[]) => items)),
  }),
  row("`batch(n)`", "`batch(n)`", {
    theirs: (source) => theirs.batch(4, source),
    ours: (source) => through(source, batch(4)),
  }),
  row("`batchWithTimeout(n, ms)`", "`batch(n, { maxWaitMs: ms })`", {
    theirs: (source) => theirs.batchWithTimeout(4, 1e6, source),
    ours: (source) => through(source, batch(4, { maxWaitMs: 1e6 })),
  }),
  row("`collect(source)`", "`toArray(source)`", {
    theirs: (source) => theirs.collect(source) as Promise<number[]>,
    ours: (source) => toArray(source),
  }),
  row("`consume(source)`", "`pipeline(source, () => {})`, which also counts", {
    theirs: (source) => theirs.consume(source) as Promise<void>,
    ours: (source) => pipeline(source, () => {}).then(() => {}),
  }),
  row("`concat(a, b)`", "`concat(a, b)`", {
    theirs: (source) => theirs.concat([7], source),
    ours: (source) => concat([7], source),
  }),
  row("`merge(a, b)`, `parallelMerge(a, b)`", "`merge(a, b)`: as they arrive, not in turns", {
    theirs: (source) => theirs.parallelMerge([], source),
    ours: (source) => merge([], source),
  }),
  row("`drop(n)`", "`drop(n)`", {
    theirs: (source) => theirs.drop(2, source),
    ours: (source) => through(source, drop(2)),
  }),
  row("`take(n)`", "`take(n)`", {
    theirs: (source) => theirs.take(3, source),
    ours: (source) => through(source, take(3)),
  }),
  row("`tap(fn)`", "`tap(fn)`", {
    theirs: (source, fn) => theirs.tap((n: number) => void fn(n), source),
    ours: (source, fn) => through(source, tap((n: number) => void fn(n))),
  }),
  row("`reduce(fn, seed)`", "`reduce(source, fn, seed)`", {
    theirs: (source, fn) => theirs.reduce((sum: number, n: number) => sum + fn(n), 10, source),
    ours: (source, fn) => reduce(source, (sum, n) => sum + fn(n), 10),
  }),
  row("`pipeline(() => source, map(fn))`", "`iterate(source, map(fn))`", {
    theirs: (source, fn) =>
      theirs.pipeline(() => source, theirs.map((n: number) => fn(n))) as AsyncIterable<unknown>,
    ours: (source, fn) => iterate(source, map((n) => fn(n))),
  }),
  row("`pipeline(() => source, map(fn), collect)`", "`toArray(source, map(fn))`", {
    theirs: (source, fn) =>
      theirs.pipeline(() => source, theirs.map((n: number) => fn(n)), theirs.collect) as Promise<
        number[]
      >,
    ours: (source, fn) => toArray(source, map((n) => fn(n))),
  }),
  without("`buffer(n)`", "a `highWaterMark`: of `reader`, of `fuse`, or of the stream itself"),
  without("`throttle(limit, ms)` of a function", "`limitRate({ perSecond })` of chunks"),
];
