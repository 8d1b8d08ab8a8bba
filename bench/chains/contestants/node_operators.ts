import { Readable } from "node:stream";
import type { RunChain } from "../job.ts";

export const nodeOperators: RunChain = async ({ source, isBatched, steps, write }) => {
  const read = Readable.from(source());
  let chunks = isBatched ? read.flatMap((batch) => batch) : read;
  for (const { kind, fn } of steps) {
    chunks = kind === "map"
      ? chunks.map((chunk) => fn(chunk))
      : chunks.filter((chunk) => fn(chunk));
  }
  await chunks.forEach((chunk) => write(chunk));
};
