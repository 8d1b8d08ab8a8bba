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
  toBytes,
  toJson,
  toText,
  toTransformStream,
  zipReadableStreams,
} from "@std/streams";
import { map, split, zip } from "@hosepipe/streams";
import { Effect, Option, Stream } from "effect";
import { pipe } from "it-pipe";
import {
  by,
  bytesOf,
  byteStream,
  digits,
  type Fn,
  gather as collect,
  lineOf,
  type Program,
  type Programs,
  shown,
  type Source,
  texts,
} from "./_ours.ts";
import { programsOfNode } from "./_node.ts";
import { programsOfRxjs } from "./_rxjs.ts";
import { programsOfStreamingIterables } from "./_streaming_iterables.ts";

const stream = (source: Source) => ReadableStream.from(source) as ReadableStream<number>;
const show = () => new TransformStream(map(shown));
const single = () => new TransformStream(map((n: number) => [n]));
const delimiter = bytesOf(";");
const empty = { empty: "Theirs gives one empty part of nothing" };

const programsOfStd: Programs = {
  "TextLineStream": (source, fn) =>
    texts(source, (n) => lineOf(fn(n))).pipeThrough(new TextLineStream()),
  "TextDelimiterStream": {
    theirs: (source) => texts(source, (n) => `${n};x`).pipeThrough(new TextDelimiterStream(";")),
    differs: empty,
  },
  "new TextDelimiterStream(delimiter)": {
    theirs: (source) => texts(source, (n) => `${n};`).pipeThrough(new TextDelimiterStream(";")),
    differs: empty,
  },
  'new DelimiterStream(delimiter, { disposition: "suffix" })': {
    theirs: (source) =>
      byteStream(source, (n) => `${n};x`)
        .pipeThrough(new DelimiterStream(delimiter, { disposition: "suffix" })).pipeThrough(show()),
    differs: empty,
  },
  "DelimiterStream": {
    theirs: (source) =>
      byteStream(source, (n) => `${n};x`).pipeThrough(new DelimiterStream(delimiter)).pipeThrough(
        show(),
      ),
    ours: by(() => map((n: number) => bytesOf(`${n};x`)), () => split(";"), () => map(shown)),
    differs: empty,
  },
  "mergeReadableStreams(a, b)": (source) =>
    mergeReadableStreams(stream(source), ReadableStream.from<number>([])),
  "zipReadableStreams(a, b)": {
    theirs: (source) => zipReadableStreams(stream(source)).pipeThrough(single()),
    ours: (source) => zip(source),
  },
  "earlyZipReadableStreams(a, b)": {
    theirs: (source) => earlyZipReadableStreams(stream(source)).pipeThrough(single()),
    ours: (source) => zip(source),
  },
  "concatReadableStreams(a, b)": (source) =>
    concatReadableStreams(ReadableStream.from([7]), stream(source)),
  "toArrayBuffer(source)": (source) =>
    toArrayBuffer(byteStream(source)).then((buffer: ArrayBuffer) => shown(new Uint8Array(buffer))),
  "toBytes(source)": (source) => toBytes(byteStream(source)).then(shown),
  "toBlob(source)": (source) => toBlob(byteStream(source)).then((blob: Blob) => blob.text()),
  "toText(source)": (source) => toText(texts(source)),
  "toJson(source)": (source) => toJson(digits(source)),
  "LimitedBytesTransformStream(n, { error: true })": (source) =>
    byteStream(source).pipeThrough(new LimitedBytesTransformStream(1000, { error: true }))
      .pipeThrough(show()),
  "LimitedBytesTransformStream(n)": (source) =>
    byteStream(source).pipeThrough(new LimitedBytesTransformStream(4)).pipeThrough(show()),
  "LimitedTransformStream(n, { error: true })": (source) =>
    stream(source).pipeThrough(new LimitedTransformStream(9, { error: true })),
  "LimitedTransformStream(n)": (source) =>
    stream(source).pipeThrough(new LimitedTransformStream(3)),
  "toTransformStream(generator)": (source, fn) =>
    stream(source).pipeThrough(toTransformStream(async function* (chunks: AsyncIterable<number>) {
      for await (const n of chunks) yield fn(n) * 2;
    })),
};

type Numbers = Stream.Stream<number, unknown>;
type Tried = (n: number) => Effect.Effect<number, unknown>;

const read = (source: Source): Numbers => Stream.fromAsyncIterable(source, (reason) => reason);
const tried = (fn: Fn): Tried => (n) => Effect.try({ try: () => fn(n), catch: (reason) => reason });

function value(make: (source: Numbers, fn: Tried) => Effect.Effect<unknown, unknown>): Program {
  return (source, fn) => Effect.runPromise(make(read(source), tried(fn)));
}

/** A stream of Effect is read to its end: its failures are typed, so `fn` answers with an effect. */
function gather<T>(make: (source: Numbers, fn: Tried) => Stream.Stream<T, unknown>): Program {
  return value((source, fn) => Stream.runCollect(make(source, fn)));
}

/** What a stage makes of what `fn` answers with. */
function behind<T>(stage: (source: Numbers) => Stream.Stream<T, unknown>): Program {
  return gather((source, fn) => stage(source.pipe(Stream.mapEffect(fn))));
}

const programsOfEffect: Programs = {
  "Stream.map(fn)": behind(Stream.map((n) => n + 1)),
  "Stream.mapEffect(fn, { concurrency })": gather((source, fn) =>
    source.pipe(Stream.mapEffect(fn, { concurrency: 2 }))
  ),
  "Stream.filter(fn)": behind(Stream.filter((n) => n > 1)),
  "Stream.flatMap(fn)": behind(Stream.flatMap((n) => Stream.make(n, n * 10))),
  "Stream.tap(fn)": gather((source, fn) => source.pipe(Stream.tap(fn))),
  "Stream.take(n)": gather(Stream.take(3)),
  "Stream.takeWhile(fn)": behind(Stream.takeWhile((n) => n < 6)),
  "Stream.drop(n)": gather(Stream.drop(2)),
  "Stream.dropWhile(fn)": gather((source, fn) =>
    source.pipe(Stream.dropWhileEffect((n) => Effect.map(fn(n), (n) => n > 1)))
  ),
  "Stream.scan(seed, fn)": gather(Stream.scan(() => 10, (sum, n) => sum + n)),
  "Stream.grouped(n)": gather(Stream.grouped(4)),
  "Stream.sliding(n)": gather(Stream.sliding(2)),
  "Stream.changes": gather(Stream.changes),
  "Stream.concat(other)": gather(Stream.concat(Stream.make(7))),
  "Stream.merge(other)": gather(Stream.merge(Stream.empty)),
  "Stream.zip(other)": gather(Stream.zip(Stream.make(7, 8, 9))),
  "Stream.runCollect": value(Stream.runCollect),
  "Stream.runFold(seed, fn)": value((source, fn) =>
    Stream.runFold(source.pipe(Stream.mapEffect(fn)), () => 10, (sum, n) => sum + n)
  ),
  "Stream.runCount": value(Stream.runCount),
  "Stream.runHead": value((source) => Effect.map(Stream.runHead(source), Option.getOrUndefined)),
  "Stream.runLast": value((source) => Effect.map(Stream.runLast(source), Option.getOrUndefined)),
  "Stream.runForEach(fn)": (source, fn) =>
    collect((write) =>
      Effect.runPromise(Stream.runForEach(read(source), (n) => Effect.map(tried(fn)(n), write)))
    ),
};

const programsOfPMap: Programs = {
  "pMap(source, fn)": (source, fn) => pMap(source, async (n) => await fn(n)),
  "pMap(source, fn, { stopOnError: false })": {
    theirs: (source, fn) => pMap(source, async (n) => await fn(n), { stopOnError: false }),
    differs: { "fn fails": "the message of the `AggregateError` says how many of how many" },
  },
  "pMapIterable(source, fn, { concurrency, backpressure })": (source, fn) =>
    pMapIterable(source, async (n) => await fn(n), { concurrency: 2 }),
  "pMapSkip": (source, fn) => pMap(source, (n) => fn(n) > 1 ? n : pMapSkip),
};

const programsOfIt: Programs = {
  "it-map": (source, fn) => itMap(source, (n) => fn(n) + 1),
  "it-filter": (source, fn) => itFilter(source, (n) => fn(n) > 1),
  "it-take": (source) => itTake(source, 3),
  "it-batch": (source) => itBatch(source, 4),
  "it-parallel": (source, fn) =>
    itParallel(itMap(source, (n) => async () => await fn(n)), { concurrency: 2, ordered: true }),
  "it-merge": (source) => itMerge([] as number[], source),
  "it-all": (source) => itAll(source),
  "it-first": (source) => itFirst(source),
  "it-last": (source) => itLast(source),
  "it-drain": (source) => itDrain(source),
  "it-peekable": async (source) => {
    const peekable = itPeekable(source);
    const { value } = await peekable.peek();
    if (value !== undefined) peekable.push(value);
    return [value, await itAll(peekable)];
  },
  "pipe(source, ...functions)": (source, fn) =>
    pipe(source, (all) => itMap(all, (n: number) => fn(n)), (all) => itAll(all)),
};

/** What users come from, by the headings of docs/migrate.md. */
export const libraries: Readonly<Record<string, Programs>> = {
  "Node": programsOfNode,
  "RxJS": programsOfRxjs,
  "streaming-iterables": programsOfStreamingIterables,
  "it-*": programsOfIt,
  "@std/streams": programsOfStd,
  "p-map": programsOfPMap,
  "Effect": programsOfEffect,
};
