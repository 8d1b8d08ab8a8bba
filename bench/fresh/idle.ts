// Prints how many bytes are held by a run of three stages that waits for its first chunk, or by a stream alone.
import { Readable, Transform, Writable } from "node:stream";
import { pipeline as pipelineOfNode } from "node:stream/promises";
import process from "node:process";
import { fuse, map, pipeline } from "../../mod.ts";

const runs = 5_000;
const add = (value: number) => value + 1;

async function* mapEach(source: AsyncIterable<number>): AsyncGenerator<number> {
  for await (const value of source) yield add(value);
}

/** As what a socket waits for does, each keeps its run: otherwise it is garbage. */
const waiting: unknown[] = [];
const never = () => new Promise<never>((resolve) => waiting.push(resolve));
const openWeb = () => new ReadableStream<number>({ pull: never });

/** Makes a stream that stays. */
const keep = (stream: unknown) => {
  waiting.push(stream);
  return Promise.resolve();
};

/** Each begins one run, which never ends, or makes one stream. */
const contestants: Readonly<Record<string, () => Promise<unknown>>> = {
  "pipeline": () => pipeline(openWeb(), map(add), map(add), map(add), () => {}),
  "web": () => {
    const plusOne = () =>
      new TransformStream<number, number>({
        transform: (chunk, controller) => controller.enqueue(add(chunk)),
      });
    return openWeb().pipeThrough(plusOne()).pipeThrough(plusOne()).pipeThrough(plusOne())
      .pipeTo(new WritableStream());
  },
  "node": () => {
    const plusOne = () =>
      new Transform({
        objectMode: true,
        transform: (chunk: number, _, callback) => callback(null, add(chunk)),
      });
    const source = new Readable({ objectMode: true, read() {} });
    waiting.push(source);
    return pipelineOfNode(
      source,
      plusOne(),
      plusOne(),
      plusOne(),
      new Writable({ objectMode: true, write: (_chunk, _, callback) => callback() }),
    );
  },
  "async-generators": async () => {
    const source: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: never }) };
    for await (const _ of mapEach(mapEach(mapEach(source))));
  },
  "a ReadableStream": () => keep(new ReadableStream({ pull() {} })),
  "a ReadableStream and its reader": () => {
    const stream = new ReadableStream({ pull() {} });
    return keep([stream, stream.getReader()]);
  },
  "a TransformStream": () => keep(new TransformStream({ transform() {} })),
  "fuse of one stage": () => keep(fuse(map(add))),
};

const { Bun, gc } = globalThis as { Bun?: { gc(isSync: boolean): void }; gc?: () => void };

async function heldBytes(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (Bun !== undefined) Bun.gc(true);
    else gc!();
  }
  return process.memoryUsage().heapUsed;
}

const begin = contestants[process.argv[2]!]!;
const held: Promise<unknown>[] = [];
for (let run = 0; run < 100; run++) held.push(begin());
const before = await heldBytes();
for (let run = 0; run < runs; run++) held.push(begin());
const after = await heldBytes();
if (held.length !== runs + 100) throw new Error("Cannot measure: some have ended");
console.log((after - before) / runs);
process.exit();
