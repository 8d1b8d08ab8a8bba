// Programs with Node's types, as a newcomer writes them: they compile, nothing runs them.
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { PassThrough, Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { createGzip } from "node:zlib";
import { ReadableStream as NodeReadable, TransformStream as NodeTransform } from "node:stream/web";
import {
  concat,
  filter,
  first,
  lines,
  map,
  merge,
  pipeline,
  toArray,
  zip,
} from "@hosepipe/streams";
import { fromNode, toNode } from "@hosepipe/streams/node";

export async function readFile() {
  await pipeline(
    createReadStream("in.txt"),
    lines(),
    filter((line) => line !== ""),
    (line) => console.log(line.length),
  );
}

export async function readLines() {
  const input = createReadStream("in.txt", { encoding: "utf8" });
  await pipeline(createInterface({ input }), map((line) => line.length), (n) => n.toFixed());
}

export async function copyFile() {
  await using input = await open("in.txt");
  await pipeline(
    input.readableWebStream(),
    lines(),
    map((line) => line + "\n"),
    Writable.toWeb(createWriteStream("out.txt")),
  );
}

export async function compress() {
  const text = Readable.from(["a", "b"]);
  await pipeline(
    text,
    map((chunk) => `${chunk}\n`),
    new TextEncoderStream(),
    new CompressionStream("gzip"),
    Writable.toWeb(createWriteStream("out.gz")),
  );
}

export async function writeByHand() {
  const output = createWriteStream("out.txt");
  await pipeline(["a", "b"], map((text) => text + "\n"), (text) => void output.write(text));
}

export async function standardInput() {
  await pipeline(process.stdin, lines(), (line) => console.log(line.toUpperCase()));
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
  : [never];
declare function is<B>(): <A>(a: A, ...same: Same<A, B>) => void;

export function streamsOfNode() {
  is<Promise<number[]>>()(toArray(new NodeReadable<number>()));
  is<Promise<(number | undefined)[]>>()(toArray(new NodeReadable<number | undefined>()));
  is<Promise<string[]>>()(toArray(new NodeReadable<number>(), map((n) => n.toFixed())));
  is<Promise<number | undefined>>()(first(new NodeReadable<number>()));
  is<ReadableStream<number>>()(merge(new NodeReadable<number>()));
  is<ReadableStream<number | string>>()(merge(new NodeReadable<number>(), ["a"]));
  is<ReadableStream<number | string>>()(concat(new NodeReadable<number>(), () => ["a"]));
  is<ReadableStream<[number, string]>>()(zip(new NodeReadable<number>(), ["a"]));
  is<Promise<number[]>>()(toArray(["a"], new NodeTransform<string, number>()));
}

export function unknownChunks(stream: Readable) {
  is<ReadableStream<unknown>>()(fromNode(stream));
  is<ReadableStream<Uint8Array>>()(fromNode<Uint8Array>(stream));
  is<ReadableStream<unknown>>()(fromNode(createGzip(), { as: "pair" }).readable);
  const bytes: ReadableStream<Uint8Array> = fromNode(stream);
  return bytes;
}

export function noOptions(stream: Readable, none: undefined) {
  is<ReadableStream<unknown>>()(fromNode(stream, { as: none, highWaterMark: none }));
  toNode(new ReadableStream<number>(), { highWaterMark: none });
}

export { fromNode, toNode };

export async function wrong() {
  // @ts-expect-error a node stream is no sink
  await pipeline(["a"], new PassThrough());
  // @ts-expect-error a node stream is no stage
  await pipeline(["a"], createGzip(), (chunk: unknown) => console.log(chunk));
  // @ts-expect-error a node stream is no sink
  await pipeline(["a"], map((text) => text.length), createWriteStream("out.txt"));
}
