import type { Chunk, RunChain } from "../job.ts";

async function* flatten(batches: AsyncIterable<Chunk[]>): AsyncGenerator<Chunk> {
  for await (const batch of batches) yield* batch;
}

async function* map(
  chunks: AsyncIterable<Chunk>,
  fn: (chunk: Chunk) => Chunk,
): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) yield fn(chunk);
}

async function* filter(
  chunks: AsyncIterable<Chunk>,
  fn: (chunk: Chunk) => boolean,
): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) if (fn(chunk)) yield chunk;
}

export const asyncGenerators: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks: AsyncIterable<Chunk> = isBatched ? flatten(source()) : source();
  for (const { kind, fn } of steps) chunks = kind === "map" ? map(chunks, fn) : filter(chunks, fn);
  for await (const chunk of chunks) await write(chunk);
};
