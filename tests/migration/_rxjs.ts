import * as rx from "rxjs";
import { map } from "@hosepipe/streams";
import { by, type Fn, type Program, type Programs, twice } from "./_ours.ts";

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

export const programsOfRxjs: Programs = {
  "map(fn)": gather((fn) => rx.map((n) => fn(n) + 1)),
  "filter(fn)": gather((fn) => rx.filter((n) => fn(n) > 1)),
  "tap(fn)": gather((fn) => rx.tap((n) => void fn(n))),
  "scan(fn, seed)": gather((fn) => rx.scan((sum, n) => sum + fn(n), 10)),
  "scan(fn)": gather((fn) => rx.scan((sum, n) => sum + fn(n))),
  "take(n)": gather(() => rx.take(3)),
  "takeWhile(fn)": gather((fn) => rx.takeWhile((n) => fn(n) < 6)),
  "skip(n)": gather(() => rx.skip(2)),
  "skipWhile(fn)": gather((fn) => rx.skipWhile((n) => fn(n) > 1)),
  "takeUntil(observable)": gather(() => rx.takeUntil(rx.NEVER)),
  "mergeMap((n) => promise, limit)": gather((fn) => rx.mergeMap(async (n) => await fn(n), 2)),
  "mergeMap((n) => items, limit)": gather((fn) => rx.mergeMap((n) => twice(fn(n)), 2)),
  "concatMap(fn)": gather((fn) => rx.concatMap((n) => twice(fn(n)))),
  "concatMap((n) => promise)": {
    theirs: gather((fn) => rx.concatMap(async (n) => await fn(n))),
    ours: by((fn) => map(async (n: number) => await fn(n))),
  },
  "concatAll()": gather((fn) => rx.pipe(rx.map((n: number) => twice(fn(n))), rx.concatAll())),
  "expand(fn)": gather((fn) => rx.expand((n) => n > 2 ? [] : [fn(n) + 2])),
  "bufferCount(n)": gather(() => rx.bufferCount(4)),
  "bufferTime(ms)": gather(() =>
    rx.pipe(rx.bufferTime(1e6, null, 4), rx.filter((all) => all.length > 0))
  ),
  "groupBy(key)": gather((fn) =>
    rx.pipe(
      rx.groupBy((n: number) => fn(n) % 2),
      rx.mergeMap((group) => group.pipe(rx.map((n) => `${group.key}:${n}`))),
    )
  ),
  "pairwise()": gather(() => rx.pairwise()),
  "distinct(key)": gather((fn) => rx.distinct((n) => fn(n) % 3)),
  "distinctUntilChanged()": gather(() => rx.distinctUntilChanged()),
  "distinctUntilChanged(comparator)": gather((fn) =>
    rx.distinctUntilChanged((a, b) => fn(a) % 2 === fn(b) % 2)
  ),
  "takeLast(n)": gather(() => rx.takeLast(2)),
  "distinctUntilKeyChanged(name)": gather(() =>
    rx.pipe(rx.map((n) => ({ n })), rx.distinctUntilKeyChanged("n"))
  ),
  "startWith(x)": gather(() => rx.pipe(rx.startWith(7), rx.endWith(8))),
  "concat(a, b)": gather(() => (source) => rx.concat([7], source)),
  "merge(a, b)": gather(() => (source) => rx.merge(source, [])),
  "zip(a, b)": gather(() => (source) => rx.zip(source, [7, 8, 9])),
  "share()": (source) => {
    const shared = rx.from(source).pipe(rx.share());
    const one = rx.lastValueFrom(shared.pipe(rx.toArray()));
    return Promise.all([one, rx.lastValueFrom(shared.pipe(rx.count()))]);
  },
  "retry(n)": gather(() => rx.retry(0)),
  "count()": value(() => rx.count()),
  "reduce(fn, seed)": value((fn) => rx.reduce((sum, n) => sum + fn(n), 10)),
  "every(fn)": value((fn) => rx.every((n) => fn(n) < 9)),
  "find(fn)": value((fn) => rx.find((n) => fn(n) === 6)),
  "firstValueFrom(source, { defaultValue })": (source) =>
    rx.firstValueFrom(rx.from(source), { defaultValue: undefined }),
  "lastValueFrom(source, { defaultValue })": (source) =>
    rx.lastValueFrom(rx.from(source), { defaultValue: undefined }),
  "toArray()": gather(() => rx.identity as Operator<number>),
  "interval(ms)": () => rx.lastValueFrom(rx.interval(1).pipe(rx.take(2), rx.count())),
};
