import {
  createReadableStream,
  createTransformStream,
  createWritableStream,
  pipejoin,
} from "@datastream/core/webstream";
import type { Chunk, RunChain } from "../job.ts";

type Enqueue = (chunk: Chunk) => void;

export const datastream: RunChain = async ({ source, isBatched, steps, write }) => {
  const flatten = isBatched
    ? [createTransformStream((batch: Chunk[], enqueue: Enqueue) => batch.forEach(enqueue))]
    : [];
  const stages = steps.map(({ kind, fn }) =>
    createTransformStream((chunk: Chunk, enqueue: Enqueue) => {
      if (kind === "map") enqueue(fn(chunk));
      else if (fn(chunk)) enqueue(chunk);
    })
  );
  await pipejoin([
    createReadableStream(source()),
    ...flatten,
    ...stages,
    createWritableStream(write),
  ]);
};
