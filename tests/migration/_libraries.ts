import itAll from "it-all";
import itBatch from "it-batch";
import itDrain from "it-drain";
import itFilter from "it-filter";
import itFirst from "it-first";
import itLast from "it-last";
import itMap from "it-map";
import itMerge from "it-merge";
import itParallel from "it-parallel";
import itPeekable from "it-peekable";
import itTake from "it-take";
import pMap, { pMapIterable, pMapSkip } from "p-map";
import {
  concatReadableStreams,
  DelimiterStream,
  earlyZipReadableStreams,
  LimitedBytesTransformStream,
  LimitedTransformStream,
  mergeReadableStreams,
  TextDelimiterStream,
  TextLineStream,
  toArrayBuffer,
  toBlob,
  toBytes as toBytesThere,
  toJson as toJsonThere,
  toText as toTextThere,
  toTransformStream,
  zipReadableStreams,
} from "@std/streams";
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
  limitBytes,
  lines,
  map,
  merge,
  parallel,
  peek,
  pipeline,
  reduce,
  scan,
  sliding,
  split,
  take,
  takeWhile,
  tap,
  toArray,
  toBytes,
  toJson,
  toText,
  zip,
} from "@hosepipe/streams";
import { Effect, Option, Stream } from "effect";
import { pipe } from "it-pipe";
import { type Fn, type Program, type Row, row, type Source, through } from "./_row.ts";
import { rowsOfNode } from "./_rows_of_node.ts";
import { rowsOfRxjs } from "./_rows_of_rxjs.ts";
import { rowsOfStreamingIterables } from "./_rows_of_streaming_iterables.ts";

const encoder = new TextEncoder();
const stream = (source: Source) => ReadableStream.from(source) as ReadableStream<number>;
const lineOf = (n: number) => `${n}\n`;
const texts = (source: Source, fn = lineOf) => through(source, map((n: number) => fn(n)));
const textStream = (source: Source, fn = lineOf) =>
  stream(source).pipeThrough(new TransformStream(map((n: number) => fn(n))));
const byteStream = (source: Source, fn = lineOf) =>
  stream(source).pipeThrough(new TransformStream(map((n: number) => encoder.encode(fn(n)))));
/** Digits between brackets, as JSON has them. */
const digits = (source: Source) =>
  concat(["["], texts(source, String) as AsyncIterable<string>, ["]"]);
const shown = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const rowsOfStd: readonly Row[] = [
  row("`TextLineStream`", "`lines()`", {
    theirs: (source, fn) =>
      textStream(source, (n) => lineOf(fn(n))).pipeThrough(new TextLineStream()),
    ours: (source, fn) => through(source, map((n: number) => lineOf(fn(n))), lines()),
  }),
  row("`TextDelimiterStream`", "`split(delimiter)`", {
    theirs: (source) =>
      textStream(source, (n) => `${n};x`).pipeThrough(new TextDelimiterStream(";")),
    ours: (source) => through(source, map((n: number) => `${n};x`), split(";")),
  }, { differs: { empty: "Theirs gives one empty text of nothing" } }),
  row(
    "`new TextDelimiterStream(delimiter)` at an empty end",
    "`split(delimiter, { keepEmptyLast: true })`",
    {
      theirs: (source) =>
        textStream(source, (n) => `${n};`).pipeThrough(new TextDelimiterStream(";")),
      ours: (source) =>
        through(source, map((n: number) => `${n};`), split(";", { keepEmptyLast: true })),
    },
    { differs: { empty: "Theirs gives one empty text of nothing" } },
  ),
  row(
    '`new DelimiterStream(delimiter, { disposition: "suffix" })`, `"prefix"`',
    '`split(delimiter, { disposition: "suffix" })`, `"prefix"`',
    {
      theirs: (source) =>
        byteStream(source, (n) => `${n};x`)
          .pipeThrough(new DelimiterStream(encoder.encode(";"), { disposition: "suffix" }))
          .pipeThrough(new TransformStream(map(shown))),
      ours: (source) =>
        through(
          source,
          map((n: number) => encoder.encode(`${n};x`)),
          split(";", { disposition: "suffix" }),
          map(shown),
        ),
    },
    { differs: { empty: "Theirs gives one empty block of nothing" } },
  ),
  row("`DelimiterStream`", "`split(delimiter)`, which gives bytes of bytes", {
    theirs: (source) =>
      byteStream(source, (n) => `${n};x`)
        .pipeThrough(new DelimiterStream(encoder.encode(";")))
        .pipeThrough(new TransformStream(map(shown))),
    ours: (source) =>
      through(source, map((n: number) => encoder.encode(`${n};x`)), split(";"), map(shown)),
  }, { differs: { empty: "Theirs gives one empty block of nothing" } }),
  row("`mergeReadableStreams(a, b)`", "`merge(a, b)`, which reads on demand", {
    theirs: (source) => mergeReadableStreams(stream(source), ReadableStream.from<number>([])),
    ours: (source) => merge(source, []),
  }),
  row("`zipReadableStreams(a, b)`", "`zip(a, b)`, which gives pairs and ends with the shortest", {
    theirs: (source) =>
      zipReadableStreams(stream(source)).pipeThrough(new TransformStream(map((n: number) => [n]))),
    ours: (source) => zip(source),
  }),
  row("`earlyZipReadableStreams(a, b)`", "`zip(a, b)`, which gives pairs", {
    theirs: (source) =>
      earlyZipReadableStreams(stream(source)).pipeThrough(
        new TransformStream(map((n: number) => [n])),
      ),
    ours: (source) => zip(source),
  }),
  row("`concatReadableStreams(a, b)`", "`concat(a, b)`", {
    theirs: (source) => concatReadableStreams(ReadableStream.from([7]), stream(source)),
    ours: (source) => concat([7], source),
  }),
  row("`toArrayBuffer(source)`", "`(await toBytes(source)).buffer`, with a limit", {
    theirs: (source) =>
      toArrayBuffer(byteStream(source)).then((buffer: ArrayBuffer) =>
        shown(new Uint8Array(buffer))
      ),
    ours: (source) => toBytes(byteStream(source)).then(shown),
  }),
  row("`toBytes(source)`", "`toBytes(source)`, with a limit", {
    theirs: (source) => toBytesThere(byteStream(source)).then(shown),
    ours: (source) => toBytes(byteStream(source)).then(shown),
  }),
  row("`toBlob(source)`", "`new Blob([await toBytes(source)])`", {
    theirs: (source) => toBlob(byteStream(source)).then((blob: Blob) => blob.text()),
    ours: (source) =>
      toBytes(byteStream(source)).then((bytes) => new Blob([bytes as BlobPart]).text()),
  }),
  row("`toText(source)`", "`toText(source)`, with a limit", {
    theirs: (source) => toTextThere(textStream(source)),
    ours: (source) => toText(textStream(source)),
  }),
  row("`toJson(source)`", "`toJson(source)`, with a limit", {
    theirs: (source) => toJsonThere(digits(source)),
    ours: (source) => toJson(digits(source)),
  }),
  row("`LimitedBytesTransformStream(n, { error: true })`", "`limitBytes(n)`", {
    theirs: (source) =>
      byteStream(source).pipeThrough(new LimitedBytesTransformStream(1000, { error: true }))
        .pipeThrough(new TransformStream(map(shown))),
    ours: (source) =>
      byteStream(source).pipeThrough(new TransformStream(limitBytes(1000)))
        .pipeThrough(new TransformStream(map(shown))),
  }),
  row("`LimitedBytesTransformStream(n)`", '`limitBytes(n, { atLimit: "truncate" })`', {
    theirs: (source) =>
      byteStream(source).pipeThrough(new LimitedBytesTransformStream(4))
        .pipeThrough(new TransformStream(map(shown))),
    ours: (source) =>
      byteStream(source).pipeThrough(new TransformStream(limitBytes(4, { atLimit: "truncate" })))
        .pipeThrough(new TransformStream(map(shown))),
  }),
  row("`LimitedTransformStream(n, { error: true })`", '`take(n, { atLimit: "fail" })`', {
    theirs: (source) => stream(source).pipeThrough(new LimitedTransformStream(9, { error: true })),
    ours: (source) => through(source, take(9, { atLimit: "fail" })),
  }),
  row("`LimitedTransformStream(n)`", "`take(n)`", {
    theirs: (source) => stream(source).pipeThrough(new LimitedTransformStream(3)),
    ours: (source) => through(source, take(3)),
  }),
  row("`toTransformStream(generator)`", "the generator itself; `stage(generator)` for a pair", {
    theirs: (source, fn) =>
      stream(source).pipeThrough(toTransformStream(async function* (chunks: AsyncIterable<number>) {
        for await (const n of chunks) yield fn(n) * 2;
      })),
    ours: (source, fn) =>
      through(source, async function* (chunks: AsyncIterable<number>) {
        for await (const n of chunks) yield fn(n) * 2;
      }),
  }),
];

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

const rowsOfEffect: readonly Row[] = [
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

const rowsOfPMap: readonly Row[] = [
  row("`pMap(source, fn)`", "`toArray(source, parallel(fn, { concurrency: Infinity }))`", {
    theirs: (source, fn) => pMap(source, async (n) => await fn(n)),
    ours: (source, fn) =>
      toArray(source, parallel(async (n) => await fn(n), { concurrency: Infinity })),
  }),
  row("`pMap(source, fn, { stopOnError: false })`", "`parallel(fn, { stopOnError: false, … })`", {
    theirs: (source, fn) => pMap(source, async (n) => await fn(n), { stopOnError: false }),
    ours: (source, fn) =>
      toArray(
        source,
        parallel(async (n) => await fn(n), { concurrency: Infinity, stopOnError: false }),
      ),
  }, { differs: { "fn fails": "the message of the `AggregateError` says how many of how many" } }),
  row(
    "`pMapIterable(source, fn, { concurrency, backpressure })`",
    "`parallel(fn, { concurrency, window })`",
    {
      theirs: (source, fn) => pMapIterable(source, async (n) => await fn(n), { concurrency: 2 }),
      ours: (source, fn) =>
        through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
    },
  ),
  row("`pMapSkip`", "`filter(fn)`, with a `concurrency`", {
    theirs: (source, fn) => pMap(source, (n) => fn(n) > 2 ? n : pMapSkip),
    ours: (source, fn) => toArray(source, filter((n) => fn(n) > 2)),
  }),
];

const rowsOfIt: readonly Row[] = [
  row("`it-map`", "`map(fn)`", {
    theirs: (source, fn) => itMap(source, (n) => fn(n) + 1),
    ours: (source, fn) => through(source, map((n: number) => fn(n) + 1)),
  }),
  row("`it-filter`", "`filter(fn)`", {
    theirs: (source, fn) => itFilter(source, (n) => fn(n) > 1),
    ours: (source, fn) => through(source, filter((n: number) => fn(n) > 1)),
  }),
  row("`it-take`", "`take(n)`", {
    theirs: (source) => itTake(source, 3),
    ours: (source) => through(source, take(3)),
  }),
  row("`it-batch`", "`batch(n)`", {
    theirs: (source) => itBatch(source, 4),
    ours: (source) => through(source, batch(4)),
  }),
  row("`it-parallel`", "`parallel(fn, { concurrency })`", {
    theirs: (source, fn) =>
      itParallel(itMap(source, (n) => async () => await fn(n)), { concurrency: 2, ordered: true }),
    ours: (source, fn) =>
      through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
  }),
  row("`it-merge`", "`merge(a, b)`", {
    theirs: (source) => itMerge([] as number[], source),
    ours: (source) => merge([], source),
  }),
  row("`it-all`", "`toArray(source)`", {
    theirs: (source) => itAll(source),
    ours: (source) => toArray(source),
  }),
  row("`it-first`", "`first(source)`", {
    theirs: (source) => itFirst(source),
    ours: (source) => first(source),
  }),
  row("`it-last`", "`last(source)`", {
    theirs: (source) => itLast(source),
    ours: (source) => last(source),
  }),
  row("`it-drain`", "`pipeline(source, () => {})`", {
    theirs: (source) => itDrain(source),
    ours: (source) => pipeline(source, () => {}).then(() => {}),
  }),
  row("`it-peekable`", "`await peek(source)`", {
    theirs: async (source) => {
      const peekable = itPeekable(source);
      const { value } = await peekable.peek();
      if (value !== undefined) peekable.push(value);
      return [value, await itAll(peekable)];
    },
    ours: async (source) => {
      const peeked = await peek(source);
      return [peeked.chunks[0], await toArray(peeked.source)];
    },
  }),
  row("`pipe(source, ...functions)` of `it-pipe`", "`toArray(source, ...stages)`", {
    theirs: (source, fn) =>
      pipe(source, (all) => itMap(all, (n: number) => fn(n)), (all) => itAll(all)),
    ours: (source, fn) => toArray(source, map((n) => fn(n))),
  }),
];

/** What users come from, in the order of the table. */
export const libraries: readonly { readonly name: string; readonly rows: readonly Row[] }[] = [
  { name: "Node", rows: rowsOfNode },
  { name: "RxJS", rows: rowsOfRxjs },
  { name: "streaming-iterables", rows: rowsOfStreamingIterables },
  { name: "it-*", rows: rowsOfIt },
  { name: "@std/streams", rows: rowsOfStd },
  { name: "p-map", rows: rowsOfPMap },
  { name: "Effect", rows: rowsOfEffect },
];
