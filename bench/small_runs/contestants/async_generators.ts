import type { RunSmall } from "../job.ts";

type Chunks = Iterable<number> | AsyncIterable<number>;

async function* map(chunks: Chunks, fn: (chunk: number) => number): AsyncGenerator<number> {
  for await (const chunk of chunks) yield fn(chunk);
}

async function* filter(chunks: Chunks, fn: (chunk: number) => boolean): AsyncGenerator<number> {
  for await (const chunk of chunks) if (fn(chunk)) yield chunk;
}

export const asyncGenerators: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  for await (const chunk of map(filter(map(chunks, increment), isOdd), double)) take(chunk);
};
