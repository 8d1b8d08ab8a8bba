import { EventEmitter } from "node:events";
import {
  batch,
  changes,
  compose,
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
  fromEvents,
  fuse,
  groupBy,
  interval,
  iterate,
  last,
  limitBytes,
  lines,
  map,
  merge,
  pairwise,
  parallel,
  peek,
  pipeline,
  reader,
  reduce,
  retry,
  scan,
  sliding,
  some,
  split,
  stage,
  take,
  takeLast,
  takeUntil,
  takeWhile,
  tap,
  tee,
  toArray,
  toBytes,
  toJson,
  toText,
  writer,
  zip,
} from "@hosepipe/streams";
import { from } from "../lib/from.ts";

/** Chunks that a program is given. */
export type Source = AsyncIterable<number>;

/** A function of the user's, which may fail. */
export type Fn = (n: number) => number;

/** What a program makes of its source: chunks, or a promise of one value. */
export type Made = AsyncIterable<unknown> | PromiseLike<unknown>;

/** One program. */
export type Program = (source: Source, fn: Fn) => Made;

/** What a program is tried with. */
export type Case = "some" | "empty" | "fn fails" | "source fails" | "early end";

/** A program of theirs that is not the same as ours, or as what the code stands for elsewhere. */
export interface Exception {
  readonly theirs: Program;
  /** Default: what the code stands for. */
  readonly ours?: Program;
  /** Cases in which they answer otherwise, with the reason. */
  readonly differs?: Partial<Record<Case, string>>;
  /** Cases in which theirs never answers somewhere, with where. */
  readonly hangs?: Partial<Record<Case, string>>;
}

/** Programs of a library, by the first code of their rows in docs/migrate.md. */
export type Programs = Readonly<Record<string, Program | Exception>>;

export const twice = (n: number) => [n, n * 10];

export async function* double(source: Source) {
  for await (const n of source) yield n * 2;
}

const encoder = new TextEncoder();
export const lineOf = (n: number) => `${n}\n`;
export const bytesOf = (text: string) => encoder.encode(text);
export const shown = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Texts, or bytes, of numbers. */
export const texts = (source: Source, fn = lineOf) =>
  ReadableStream.from(source).pipeThrough(new TransformStream(map((n: number) => fn(n))));
export const byteStream = (source: Source, fn = lineOf) =>
  texts(source, fn).pipeThrough(new TransformStream(map(bytesOf)));
/** Digits between brackets, as JSON has them. */
export const digits = (source: Source) => concat(["["], texts(source, String), ["]"]);

/** Collects what a sink is given, and gives that. */
export async function gather(
  run: (write: (n: number) => void) => Promise<unknown>,
): Promise<number[]> {
  const got: number[] = [];
  await run((n) => void got.push(n));
  return got;
}

/** An emitter that gives three numbers and ends. */
export function emitting(): EventEmitter {
  const emitter = new EventEmitter();
  queueMicrotask(() => {
    for (const n of [1, 2, 3]) emitter.emit("data", n);
    emitter.emit("end");
  });
  return emitter;
}

/** The chunks of a source behind stages. */
export function by(...make: readonly ((fn: Fn) => unknown)[]): Program {
  return (source, fn) => {
    const stages = make.map((one) => one(fn));
    return ReadableStream.from(source)
      .pipeThrough((fuse as (...stages: unknown[]) => TransformStream)(...stages));
  };
}

const slow = (fn: Fn) => async (n: number) => await fn(n);
const together = { concurrency: 2 };
const unordered = { concurrency: 2, ordered: false };

/** Our programs, by the first code of the rows: what a concurrency is called there does not matter. */
export const ours: Readonly<Record<string, Program>> = {
  "the generator, wherever stages go": by(() => double),
  "the same": (source) => gather((write) => pipeline(source, double, write)),
  "reader(iterable)": (source) => reader(source),
  "map(fn)": by((fn) => map((n: number) => fn(n) + 1)),
  "filter(fn)": by((fn) => filter((n: number) => fn(n) > 1)),
  "filter(fn, { concurrency })": by((fn) => filter(async (n: number) => await fn(n) > 1, together)),
  "flatMap(fn)": by((fn) => flatMap((n: number) => twice(fn(n)))),
  "flatMap(fn, { concurrency })": by((fn) => flatMap((n: number) => from(twice(fn(n))), together)),
  "flatMap(fn, { concurrency, ordered: false })": by((fn) =>
    flatMap((n: number) => twice(fn(n)), unordered)
  ),
  "flatMap((items) => items)": by(
    (fn) => map((n: number) => twice(fn(n))),
    () => flatMap((items: number[]) => items),
  ),
  "parallel(fn, { concurrency })": by((fn) => parallel(slow(fn), together)),
  "parallel(fn, { concurrency, window })": by((fn) => parallel(slow(fn), together)),
  "parallel(fn, { concurrency, ordered: false })": by((fn) => parallel(slow(fn), unordered)),
  "parallel(fn, { stopOnError: false, … })": by((fn) =>
    parallel(slow(fn), { concurrency: Infinity, stopOnError: false })
  ),
  "toArray(source, parallel(fn, { concurrency: Infinity }))": (source, fn) =>
    toArray(source, parallel(slow(fn), { concurrency: Infinity })),
  "tap(fn)": by((fn) => tap((n: number) => void fn(n))),
  "scan(fn)": by((fn) => scan((sum: number, n: number) => sum + fn(n))),
  "scan(fn, seed)": by((fn) => scan((sum: number, n: number) => sum + fn(n), 10)),
  "concat([seed], …)": (source) =>
    concat([10], iterate(source, scan((sum: number, n: number) => sum + n, 10))),
  "expand(fn)": by((fn) => expand((n: number) => n > 2 ? [] : [fn(n) + 2])),
  "take(n)": by(() => take(3)),
  'take(n, { atLimit: "fail" })': by(() => take(9, { atLimit: "fail" })),
  "takeWhile(fn)": by((fn) => takeWhile((n: number) => fn(n) < 6)),
  "takeLast(n)": by(() => takeLast(2)),
  "takeUntil(signal)": by(() => takeUntil(new Promise(() => {}))),
  "drop(n)": by(() => drop(2)),
  "dropWhile(fn)": by((fn) => dropWhile((n: number) => fn(n) > 1)),
  "batch(n)": by(() => batch(4)),
  "batch(n, { maxWaitMs: ms })": by(() => batch(4, { maxWaitMs: 1e6 })),
  "sliding(n)": by(() => sliding(2)),
  "pairwise()": by(() => pairwise()),
  "groupBy(key, (key) => stage)": by((fn) =>
    groupBy((n: number) => fn(n) % 2, (key) => map((n: number) => `${key}:${n}`))
  ),
  "distinct({ key })": by((fn) => distinct({ key: (n: number) => fn(n) % 3 })),
  "changes()": by(() => changes()),
  "changes({ equals })": by((fn) =>
    changes({ equals: (a: number, b: number) => fn(a) % 2 === fn(b) % 2 })
  ),
  "changes((chunk) => chunk[name])": by(
    () => map((n: number) => ({ n })),
    () => changes((row: { n: number }) => row.n),
  ),
  "compose(a, b)": by((fn) => compose(map((n: number) => fn(n)), map((n) => n * 2))),
  "stage(generator)": by((fn) =>
    stage(async function* (source: Source) {
      for await (const n of source) yield fn(n) * 2;
    })
  ),
  "lines()": by((fn) => map((n: number) => lineOf(fn(n))), () => lines()),
  "split(delimiter)": by(() => map((n: number) => `${n};x`), () => split(";")),
  "split(delimiter, { keepEmptyLast: true })": by(
    () => map((n: number) => `${n};`),
    () => split(";", { keepEmptyLast: true }),
  ),
  'split(delimiter, { disposition: "suffix" })': by(
    () => map((n: number) => bytesOf(`${n};x`)),
    () => split(";", { disposition: "suffix" }),
    () => map(shown),
  ),
  "limitBytes(n)": (source) => iterate(byteStream(source), limitBytes(1000), map(shown)),
  'limitBytes(n, { atLimit: "truncate" })': (source) =>
    iterate(byteStream(source), limitBytes(4, { atLimit: "truncate" }), map(shown)),
  "concat(a, b)": (source) => concat([7], source),
  "concat(source, other)": (source) => concat(source, [7]),
  "concat([x], source)": (source) => concat([7], source, [8]),
  "merge(a, b)": (source) => merge(source, []),
  "merge(source, other)": (source) => merge([], source),
  "zip(a, b)": (source) => zip(source, [7, 8, 9]),
  "zip(source, other)": (source) => zip(source, [7, 8, 9]),
  "tee(source, n)": (source) => {
    const [one, other] = tee(source, 2);
    return Promise.all([toArray(one!), count(other!)]);
  },
  "retry(open, { totalAttempts: n + 1, delayMs: 0 })": (source) =>
    retry(() => source, { totalAttempts: 1, delayMs: 0 }),
  "interval(ms)": () => count(interval(1), take(2)),
  "fromEvents(emitter, name)": () =>
    iterate(fromEvents(emitting(), "data", { until: "end" }), map(([n]) => n)),
  "iterate(source, map(fn))": (source, fn) => iterate(source, map((n) => fn(n))),
  "for await (const x of iterate(source, map(fn)))": (source, fn) =>
    iterate(source, map((n) => fn(n))),
  "toArray(source)": (source) => toArray(source),
  "toArray(source, map(fn))": (source, fn) => toArray(source, map((n) => fn(n))),
  "toArray(source, ...stages)": (source, fn) => toArray(source, map((n) => fn(n))),
  "count(source)": (source) => count(source),
  "first(source)": (source) => first(source),
  "last(source)": (source) => last(source),
  "reduce(source, fn, seed)": (source, fn) => reduce(source, (sum, n) => sum + fn(n), 10),
  "some(source, fn)": (source, fn) => some(source, (n) => fn(n) === 6),
  "some(source, fn, { concurrency })": (source, fn) =>
    some(source, async (n) => await fn(n) === 6, together),
  "every(source, fn)": (source, fn) => every(source, (n) => fn(n) < 9),
  "find(source, fn)": (source, fn) => find(source, (n) => fn(n) === 6),
  "await peek(source)": async (source) => {
    const peeked = await peek(source);
    return [peeked.chunks[0], await toArray(peeked.source)];
  },
  "pipeline(source, fn)": (source, fn) => gather((write) => pipeline(source, (n) => write(fn(n)))),
  "pipeline(source, writer(fn, { concurrency }))": (source, fn) =>
    gather((write) => pipeline(source, writer(async (n: number) => write(await fn(n)), together))),
  "pipeline(source, () => {})": (source) => pipeline(source, () => {}).then(() => {}),
  "pipeline(a, stage, b)": (source, fn) =>
    gather((write) =>
      pipeline(source, {
        transform(n: number, controller: TransformStreamDefaultController<number>) {
          controller.enqueue(fn(n) + 1);
        },
      }, (n: number) => write(n))
    ),
  "(await toBytes(source)).buffer": (source) =>
    toBytes(byteStream(source)).then(({ buffer }) => shown(new Uint8Array(buffer))),
  "toBytes(source)": (source) => toBytes(byteStream(source)).then(shown),
  "new Blob([await toBytes(source)])": (source) =>
    toBytes(byteStream(source)).then((bytes) => new Blob([bytes as BlobPart]).text()),
  "toText(source)": (source) => toText(texts(source)),
  "toJson(source)": (source) => toJson(digits(source)),
};
