// Programs with Node's types, as a newcomer writes them: they compile, nothing runs them.
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { PassThrough, Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { createGzip } from "node:zlib";
import { filter, lines, map, pipeline } from "@hosepipe/streams";
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

export { fromNode, toNode };

export async function wrong() {
  // @ts-expect-error a node stream is no sink
  await pipeline(["a"], new PassThrough());
  // @ts-expect-error a node stream is no stage
  await pipeline(["a"], createGzip(), (chunk: unknown) => console.log(chunk));
  // @ts-expect-error a node stream is no sink
  await pipeline(["a"], map((text) => text.length), createWriteStream("out.txt"));
}
