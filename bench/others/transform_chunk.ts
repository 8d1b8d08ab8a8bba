import type { StageWork } from "./job.ts";

const key = 0x42;

/** What the stages of others do with a chunk, where one comes of one. */
export const transformChunk: Readonly<
  Record<Exclude<StageWork, "expand" | "gzip">, (chunk: Uint8Array) => unknown>
> = {
  async: (chunk) => Promise.resolve(chunk),
  // `slice` of Node's `Buffer` would copy nothing.
  copy: (chunk) => new Uint8Array(chunk),
  pass: (chunk) => chunk,
  xor: (chunk) => {
    const changed = new Uint8Array(chunk.length);
    for (let index = 0; index < chunk.length; index++) changed[index] = chunk[index]! ^ key;
    return changed;
  },
};
