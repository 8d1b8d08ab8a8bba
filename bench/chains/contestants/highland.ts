import { Readable } from "node:stream";
import highlandStreams from "highland";
import type { Chunk, RunChain } from "../job.ts";

type Push = (error: unknown, chunk?: Chunk) => void;

export const highland: RunChain = ({ source, isBatched, steps, write }) =>
  new Promise((resolve, reject) => {
    const read = highlandStreams(Readable.from(source()));
    let chunks = isBatched ? read.sequence() : read;
    for (const { kind, fn } of steps) chunks = kind === "map" ? chunks.map(fn) : chunks.filter(fn);
    const take = (error: unknown, chunk: Chunk, push: Push, next: () => void) => {
      if (error) return reject(error);
      if (chunk === highlandStreams.nil) return push(null, chunk);
      try {
        const written = write(chunk);
        if (written) written.then(next, reject);
        else next();
      } catch (failure) {
        reject(failure);
      }
    };
    chunks.consume(take).done(resolve);
  });
