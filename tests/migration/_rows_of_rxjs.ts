import * as rx from "rxjs";
import {
  batch,
  changes,
  concat,
  count,
  distinct,
  drop,
  dropWhile,
  every,
  expand,
  filter,
  find,
  first,
  flatMap,
  groupBy,
  interval,
  last,
  map,
  merge,
  pairwise,
  parallel,
  reduce,
  retry,
  scan,
  take,
  takeLast,
  takeUntil,
  takeWhile,
  tap,
  tee,
  toArray,
  zip,
} from "@hosepipe/streams";
import { type Fn, type Program, type Row, row, through, without } from "./_row.ts";

type Operator<T> = rx.OperatorFunction<number, T>;

/** An observable has no demand, and so is gathered. */
function gather<T>(operator: (fn: Fn) => Operator<T>): Program {
  return (source, fn) =>
    rx.firstValueFrom(rx.from(source).pipe(operator(fn), rx.toArray())).then((all) => all);
}

/** One value of it. */
function value<T>(operator: (fn: Fn) => Operator<T>): Program {
  return (source, fn) =>
    rx.lastValueFrom(rx.from(source).pipe(operator(fn)), { defaultValue: undefined });
}

function ours(...make: readonly ((fn: Fn) => unknown)[]): Program {
  return (source, fn) => toArray(through(source, ...make.map((one) => one(fn))));
}

const twice = (n: number) => [n, n * 10];

export const rowsOfRxjs: readonly Row[] = [
  row("`map(fn)`", "`map(fn)`", {
    theirs: gather((fn) => rx.map((n) => fn(n) + 1)),
    ours: ours((fn) => map((n: number) => fn(n) + 1)),
  }),
  row("`filter(fn)`", "`filter(fn)`", {
    theirs: gather((fn) => rx.filter((n) => fn(n) > 1)),
    ours: ours((fn) => filter((n: number) => fn(n) > 1)),
  }),
  row("`tap(fn)`", "`tap(fn)`", {
    theirs: gather((fn) => rx.tap((n) => void fn(n))),
    ours: ours((fn) => tap((n: number) => void fn(n))),
  }),
  row("`scan(fn, seed)`", "`scan(fn, seed)`", {
    theirs: gather((fn) => rx.scan((sum, n) => sum + fn(n), 10)),
    ours: ours((fn) => scan((sum: number, n: number) => sum + fn(n), 10)),
  }),
  row("`scan(fn)`", "`scan(fn)`", {
    theirs: gather((fn) => rx.scan((sum, n) => sum + fn(n))),
    ours: ours((fn) => scan((sum: number, n: number) => sum + fn(n))),
  }),
  row("`take(n)`", "`take(n)`", {
    theirs: gather(() => rx.take(3)),
    ours: ours(() => take(3)),
  }),
  row("`takeWhile(fn)`", "`takeWhile(fn)`", {
    theirs: gather((fn) => rx.takeWhile((n) => fn(n) < 6)),
    ours: ours((fn) => takeWhile((n: number) => fn(n) < 6)),
  }),
  row("`skip(n)`", "`drop(n)`", {
    theirs: gather(() => rx.skip(2)),
    ours: ours(() => drop(2)),
  }),
  row("`skipWhile(fn)`", "`dropWhile(fn)`", {
    theirs: gather((fn) => rx.skipWhile((n) => fn(n) > 1)),
    ours: ours((fn) => dropWhile((n: number) => fn(n) > 1)),
  }),
  row("`takeUntil(observable)`", "`takeUntil(signal)`, or of a promise", {
    theirs: gather(() => rx.takeUntil(rx.NEVER)),
    ours: ours(() => takeUntil(new Promise(() => {}))),
  }),
  row(
    "`mergeMap((n) => promise, limit)`",
    "`parallel(fn, { concurrency: limit, ordered: false })`",
    {
      theirs: gather((fn) => rx.mergeMap(async (n) => await fn(n), 2)),
      ours: ours((fn) =>
        parallel(async (n: number) => await fn(n), { concurrency: 2, ordered: false })
      ),
    },
  ),
  row("`mergeMap((n) => items, limit)`", "`flatMap(fn, { concurrency: limit, ordered: false })`", {
    theirs: gather((fn) => rx.mergeMap((n) => twice(fn(n)), 2)),
    ours: ours((fn) => flatMap((n: number) => twice(fn(n)), { concurrency: 2, ordered: false })),
  }),
  row("`concatMap(fn)`", "`flatMap(fn)`", {
    theirs: gather((fn) => rx.concatMap((n) => twice(fn(n)))),
    ours: ours((fn) => flatMap((n: number) => twice(fn(n)))),
  }),
  row("`concatMap((n) => promise)`", "`map(fn)`, which waits for promises", {
    theirs: gather((fn) => rx.concatMap(async (n) => await fn(n))),
    ours: ours((fn) => map(async (n: number) => await fn(n))),
  }),
  row("`concatAll()`", "`flatMap((items) => items)`", {
    theirs: (source, fn) =>
      rx.lastValueFrom(
        rx.from(source).pipe(rx.map((n) => twice(fn(n))), rx.concatAll(), rx.toArray()),
      ),
    ours: ours((fn) => map((n: number) => twice(fn(n))), () => flatMap((items: number[]) => items)),
  }),
  row("`expand(fn)`", "`expand(fn)`", {
    theirs: gather((fn) => rx.expand((n) => n > 2 ? [] : [fn(n) + 2])),
    ours: ours((fn) => expand((n: number) => n > 2 ? [] : [fn(n) + 2])),
  }),
  row("`bufferCount(n)`", "`batch(n)`", {
    theirs: gather(() => rx.bufferCount(4)),
    ours: ours(() => batch(4)),
  }),
  row("`bufferTime(ms)`", "`batch(n, { maxWaitMs: ms })`, which needs a bound", {
    theirs: gather(() => rx.pipe(rx.bufferTime(1e6), rx.filter((all) => all.length > 0))),
    ours: ours(() => batch(1000, { maxWaitMs: 1e6 })),
  }),
  row("`groupBy(key)` with `mergeMap`", "`groupBy(key, (key) => stage)`", {
    theirs: gather((fn) =>
      rx.pipe(
        rx.groupBy((n: number) => fn(n) % 2),
        rx.mergeMap((group) => group.pipe(rx.map((n) => `${group.key}:${n}`))),
      )
    ),
    ours: ours((fn) =>
      groupBy((n: number) => fn(n) % 2, (key) => map((n: number) => `${key}:${n}`))
    ),
  }),
  row("`pairwise()`", "`pairwise()`", {
    theirs: gather(() => rx.pairwise()),
    ours: ours(() => pairwise()),
  }),
  row("`distinct(key)`", "`distinct({ key })`, with a bound", {
    theirs: gather((fn) => rx.distinct((n) => fn(n) % 3)),
    ours: ours((fn) => distinct({ key: (n: number) => fn(n) % 3 })),
  }),
  row("`distinctUntilChanged()`", "`changes()`", {
    theirs: gather(() => rx.distinctUntilChanged()),
    ours: ours(() => changes()),
  }),
  row("`distinctUntilChanged(comparator)`", "`changes({ equals })`", {
    theirs: gather((fn) => rx.distinctUntilChanged((a, b) => fn(a) % 2 === fn(b) % 2)),
    ours: ours((fn) => changes({ equals: (a: number, b: number) => fn(a) % 2 === fn(b) % 2 })),
  }),
  row("`takeLast(n)`", "`takeLast(n)`", {
    theirs: gather(() => rx.takeLast(2)),
    ours: ours(() => takeLast(2)),
  }),
  row("`distinctUntilKeyChanged(name)`", "`changes((chunk) => chunk[name])`", {
    theirs: gather(() => rx.pipe(rx.map((n) => ({ n })), rx.distinctUntilKeyChanged("n"))),
    ours: ours(() => map((n: number) => ({ n })), () => changes((row: { n: number }) => row.n)),
  }),
  row("`startWith(x)`, `endWith(x)`", "`concat([x], source)`, `concat(source, [x])`", {
    theirs: gather(() => rx.pipe(rx.startWith(7), rx.endWith(8))),
    ours: (source) => toArray(concat([7], source, [8])),
  }),
  row("`concat(a, b)`", "`concat(a, b)`", {
    theirs: (source) => rx.lastValueFrom(rx.concat([7], source).pipe(rx.toArray())),
    ours: (source) => toArray(concat([7], source)),
  }),
  row("`merge(a, b)`", "`merge(a, b)`", {
    theirs: (source) => rx.lastValueFrom(rx.merge(source, []).pipe(rx.toArray())),
    ours: (source) => toArray(merge(source, [])),
  }),
  row("`zip(a, b)`", "`zip(a, b)`", {
    theirs: (source) => rx.lastValueFrom(rx.zip(source, [7, 8, 9]).pipe(rx.toArray())),
    ours: (source) => toArray(zip(source, [7, 8, 9])),
  }),
  row("`share()`", "`tee(source, n)`: a number of branches, at the pace of the slowest", {
    theirs: (source) =>
      new Promise((resolve, reject) => {
        const shared = rx.from(source).pipe(rx.share());
        const one = rx.lastValueFrom(shared.pipe(rx.toArray()));
        const other = rx.lastValueFrom(shared.pipe(rx.count()));
        Promise.all([one, other]).then(resolve, reject);
      }),
    ours: (source) => {
      const [one, other] = tee(source, 2);
      return Promise.all([toArray(one!), count(other!)]);
    },
  }),
  row(
    "`retry(n)` of a source",
    "`retry(open, { totalAttempts: n + 1, delayMs: 0 })`; `attempts` counts from the last chunk",
    {
      theirs: (source) => rx.lastValueFrom(rx.from(source).pipe(rx.retry(0), rx.toArray())),
      ours: (source) => toArray(retry(() => source, { totalAttempts: 1, delayMs: 0 })),
    },
  ),
  row("`count()`", "`count(source)`", {
    theirs: value(() => rx.count()),
    ours: (source) => count(source),
  }),
  row("`reduce(fn, seed)`", "`reduce(source, fn, seed)`", {
    theirs: value((fn) => rx.reduce((sum, n) => sum + fn(n), 10)),
    ours: (source, fn) => reduce(source, (sum, n) => sum + fn(n), 10),
  }),
  row("`every(fn)`", "`every(source, fn)`", {
    theirs: value((fn) => rx.every((n) => fn(n) < 9)),
    ours: (source, fn) => every(source, (n) => fn(n) < 9),
  }),
  row("`find(fn)`", "`find(source, fn)`", {
    theirs: value((fn) => rx.find((n) => fn(n) === 6)),
    ours: (source, fn) => find(source, (n) => fn(n) === 6),
  }),
  row("`firstValueFrom(source, { defaultValue })`", "`first(source)`, `undefined` of nothing", {
    theirs: (source) => rx.firstValueFrom(rx.from(source), { defaultValue: undefined }),
    ours: (source) => first(source),
  }),
  row("`lastValueFrom(source, { defaultValue })`", "`last(source)`, `undefined` of nothing", {
    theirs: (source) => rx.lastValueFrom(rx.from(source), { defaultValue: undefined }),
    ours: (source) => last(source),
  }),
  row("`toArray()`", "`toArray(source)`", {
    theirs: gather(() => rx.identity as Operator<number>),
    ours: (source) => toArray(source),
  }),
  row("`interval(ms)`", "`interval(ms)`, which leaves out what is not read in time", {
    theirs: () => rx.lastValueFrom(rx.interval(1).pipe(rx.take(2), rx.count())),
    ours: () => count(interval(1), take(2)),
  }),
  without(
    "`switchMap`, `debounceTime`, `sampleTime`, `combineLatest`, `withLatestFrom`",
    "not here: they drop chunks by the time at which others come; use RxJS",
  ),
];
