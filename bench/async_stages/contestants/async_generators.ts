import type { AsyncStep, RunAsync } from "../job.ts";
import { waits } from "../steps.ts";

async function* map(chunks: AsyncIterable<number>, step: AsyncStep): AsyncGenerator<number> {
  // What is yielded is waited for.
  for await (const chunk of chunks) yield step(chunk);
}

async function* mapAtOnce(chunks: AsyncIterable<number>, step: AsyncStep): AsyncGenerator<number> {
  for await (const chunk of chunks) yield step(chunk) as number;
}

async function* read(chunks: readonly number[]): AsyncGenerator<number> {
  yield* chunks;
}

export const asyncGenerators: RunAsync = async ({ chunks, steps, take }) => {
  let stream: AsyncIterable<number> = read(chunks);
  steps.forEach((step, index) => stream = (waits(index) ? map : mapAtOnce)(stream, step));
  for await (const chunk of stream) take(chunk);
};
