import { createReadStream, createWriteStream } from "node:fs";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RunFile } from "../job.ts";

export const node: RunFile = async ({ inputPath, outputPath, take }) => {
  const sink = outputPath === undefined
    ? new Writable({
      write(chunk, _, done) {
        take(chunk);
        done();
      },
    })
    : createWriteStream(outputPath);
  await pipeline(createReadStream(inputPath), sink);
};
