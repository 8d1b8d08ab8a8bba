import type { RunSmall } from "../job.ts";

function* map(chunks: Iterable<number>, fn: (chunk: number) => number): Generator<number> {
  for (const chunk of chunks) yield fn(chunk);
}

function* filter(chunks: Iterable<number>, fn: (chunk: number) => boolean): Generator<number> {
  for (const chunk of chunks) if (fn(chunk)) yield chunk;
}

export const generators: RunSmall = ({ chunks, increment, isOdd, double, take }) => {
  for (const chunk of map(filter(map(chunks, increment), isOdd), double)) take(chunk);
};
