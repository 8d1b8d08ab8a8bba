import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

const transformer = (fn: (chunk: never) => unknown) =>
  new Transform({
    objectMode: true,
    transform: (chunk, _, done) => done(null, fn(chunk as never)),
  });

function sink<Chunk>(take: (chunk: Chunk) => void, objectMode: boolean): Writable {
  return new Writable({
    objectMode,
    write(chunk, _, done) {
      take(chunk);
      done();
    },
  });
}

export const node: RealWorker = {
  json: ({ texts, take }) =>
    pipeline(Readable.from(texts()), transformer(parse), transformer(total), sink(take, true)),
  gzip: ({ chunks, take }) => pipeline(Readable.from(chunks()), createGzip(), sink(take, false)),
};
