import { Effect, Option, Stream } from "effect";
import {
  batch,
  changes,
  concat,
  count,
  drop,
  dropWhile,
  filter,
  first,
  flatMap,
  last,
  map,
  merge,
  parallel,
  pipeline,
  reduce,
  scan,
  sliding,
  take,
  takeWhile,
  tap,
  toArray,
  zip,
} from "@hosepipe/streams";
import { type Fn, type Program, type Row, row, type Source } from "./_row.ts";
import { through } from "./_through.ts";

type Numbers = Stream.Stream<number, unknown>;

const read = (source: Source): Numbers => Stream.fromAsyncIterable(source, (reason) => reason);

/** A stream of Effect is read to its end: its failures are typed, so `fn` answers with an effect. */
function gather<T>(
  make: (
    source: Numbers,
    fn: (n: number) => Effect.Effect<number, unknown>,
  ) => Stream.Stream<T, unknown>,
): Program {
  return (source, fn) => Effect.runPromise(Stream.runCollect(make(read(source), tried(fn))));
}

function value(
  make: (
    source: Numbers,
    fn: (n: number) => Effect.Effect<number, unknown>,
  ) => Effect.Effect<unknown, unknown>,
): Program {
  return (source, fn) => Effect.runPromise(make(read(source), tried(fn)));
}

const tried = (fn: Fn) => (n: number) =>
  Effect.try({ try: () => fn(n), catch: (reason) => reason });

function ours(...make: readonly ((fn: Fn) => unknown)[]): Program {
  return (source, fn) => toArray(through(source, ...make.map((one) => one(fn))));
}

export const rowsOfEffect: readonly Row[] = [
  row("`Stream.map(fn)`, `Stream.mapEffect(fn)`", "`map(fn)`", {
    theirs: gather((source, fn) => source.pipe(Stream.mapEffect(fn), Stream.map((n) => n + 1))),
    ours: ours((fn) => map((n: number) => fn(n) + 1)),
  }),
  row("`Stream.mapEffect(fn, { concurrency })`", "`parallel(fn, { concurrency })`", {
    theirs: gather((source, fn) => source.pipe(Stream.mapEffect(fn, { concurrency: 2 }))),
    ours: ours((fn) => parallel(async (n: number) => await fn(n), { concurrency: 2 })),
  }),
  row("`Stream.filter(fn)`", "`filter(fn)`", {
    theirs: gather((source) => source.pipe(Stream.filter((n) => n > 1))),
    ours: ours(() => filter((n: number) => n > 1)),
  }),
  row("`Stream.flatMap(fn)`", "`flatMap(fn)`", {
    theirs: gather((source) => source.pipe(Stream.flatMap((n) => Stream.make(n, n * 10)))),
    ours: ours(() => flatMap((n: number) => [n, n * 10])),
  }),
  row("`Stream.tap(fn)`", "`tap(fn)`", {
    theirs: gather((source, fn) => source.pipe(Stream.tap(fn))),
    ours: ours((fn) => tap((n: number) => void fn(n))),
  }),
  row("`Stream.take(n)`", "`take(n)`", {
    theirs: gather((source) => source.pipe(Stream.take(3))),
    ours: ours(() => take(3)),
  }),
  row("`Stream.takeWhile(fn)`", "`takeWhile(fn)`", {
    theirs: gather((source) => source.pipe(Stream.takeWhile((n) => n < 6))),
    ours: ours(() => takeWhile((n: number) => n < 6)),
  }),
  row("`Stream.drop(n)`", "`drop(n)`", {
    theirs: gather((source) => source.pipe(Stream.drop(2))),
    ours: ours(() => drop(2)),
  }),
  row("`Stream.dropWhile(fn)`", "`dropWhile(fn)`", {
    theirs: gather((source) => source.pipe(Stream.dropWhile((n) => n > 1))),
    ours: ours(() => dropWhile((n: number) => n > 1)),
  }),
  row(
    "`Stream.scan(seed, fn)`",
    "`concat([seed], …)` before `scan(fn, seed)`, which gives no seed",
    {
      theirs: gather((source) => source.pipe(Stream.scan(() => 10, (sum, n) => sum + n))),
      ours: (source) =>
        toArray(concat(
          [10],
          through(source, scan((sum: number, n: number) => sum + n, 10)) as Source,
        )),
    },
  ),
  row("`Stream.grouped(n)`", "`batch(n)`", {
    theirs: gather((source) => source.pipe(Stream.grouped(4), Stream.map((all) => [...all]))),
    ours: ours(() => batch(4)),
  }),
  row("`Stream.sliding(n)`", "`sliding(n)`", {
    theirs: gather((source) => source.pipe(Stream.sliding(2), Stream.map((all) => [...all]))),
    ours: ours(() => sliding(2)),
  }),
  row("`Stream.changes`", "`changes()`", {
    theirs: gather((source) => Stream.changes(source)),
    ours: ours(() => changes()),
  }),
  row("`Stream.concat(other)`", "`concat(source, other)`", {
    theirs: gather((source) => source.pipe(Stream.concat(Stream.make(7)))),
    ours: (source) => toArray(concat(source, [7])),
  }),
  row("`Stream.merge(other)`", "`merge(source, other)`", {
    theirs: gather((source) => source.pipe(Stream.merge(Stream.empty))),
    ours: (source) => toArray(merge(source, [])),
  }),
  row("`Stream.zip(other)`", "`zip(source, other)`", {
    theirs: gather((source) => source.pipe(Stream.zip(Stream.make(7, 8, 9)))),
    ours: (source) => toArray(zip(source, [7, 8, 9])),
  }),
  row("`Stream.runCollect`", "`toArray(source)`", {
    theirs: gather((source) => source),
    ours: (source) => toArray(source),
  }),
  row("`Stream.runFold(seed, fn)`", "`reduce(source, fn, seed)`", {
    theirs: value((source) => Stream.runFold(source, () => 10, (sum, n) => sum + n)),
    ours: (source) => reduce(source, (sum, n) => sum + n, 10),
  }),
  row("`Stream.runCount`", "`count(source)`", {
    theirs: value((source) => Stream.runCount(source)),
    ours: (source) => count(source),
  }),
  row("`Stream.runHead`", "`first(source)`", {
    theirs: value((source) => Effect.map(Stream.runHead(source), Option.getOrUndefined)),
    ours: (source) => first(source),
  }),
  row("`Stream.runLast`", "`last(source)`", {
    theirs: value((source) => Effect.map(Stream.runLast(source), Option.getOrUndefined)),
    ours: (source) => last(source),
  }),
  row("`Stream.runForEach(fn)`", "`pipeline(source, fn)`", {
    theirs: value((source, fn) => Stream.runForEach(source, fn)),
    ours: (source, fn) => pipeline(source, (n) => void fn(n)).then(() => {}),
  }),
];
