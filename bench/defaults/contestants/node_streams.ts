import { createWriteStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { answer } from "../answer.ts";
import type { Jobs } from "../job.ts";

const toLines = () =>
  new Transform({
    writableObjectMode: true,
    transform: (row, _encoding, done) => done(null, `${JSON.stringify(row)}\n`),
  });

export const nodeStreams: Jobs = {
  file: ({ rows, outputPath }) =>
    pipeline(Readable.from(rows()), toLines(), createWriteStream(outputPath)),
  gzip: ({ rows, outputPath }) =>
    pipeline(Readable.from(rows()), toLines(), createGzip(), createWriteStream(outputPath)),
  response: ({ rows }) =>
    answer((response) => pipeline(Readable.from(rows()), toLines(), response)),
  bytes: ({ rows }) => buffer(Readable.from(rows()).pipe(toLines())),
};
