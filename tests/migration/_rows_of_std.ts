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
  concat,
  limitBytes,
  lines,
  map,
  merge,
  split,
  take,
  toBytes,
  toJson,
  toText,
  zip,
} from "@hosepipe/streams";
import { type Row, row, type Source } from "./_row.ts";
import { through } from "./_through.ts";

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

export const rowsOfStd: readonly Row[] = [
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
