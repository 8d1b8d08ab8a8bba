import type { Chunk } from "./job.ts";

/** What the stages of a chain of async generators read. */
type Chunks<T> = Iterable<T> | AsyncIterable<T>;

/** A stage of async generators that takes arrays apart. */
export async function* flatten(batches: Chunks<Chunk[]>): AsyncGenerator<Chunk> {
  for await (const batch of batches) yield* batch;
}

export async function* map<T>(chunks: Chunks<T>, fn: (chunk: T) => T): AsyncGenerator<T> {
  for await (const chunk of chunks) yield fn(chunk);
}

export async function* filter<T>(chunks: Chunks<T>, fn: (chunk: T) => boolean): AsyncGenerator<T> {
  for await (const chunk of chunks) if (fn(chunk)) yield chunk;
}

/** The same without a promise. */
export function* mapSync<T>(chunks: Iterable<T>, fn: (chunk: T) => T): Generator<T> {
  for (const chunk of chunks) yield fn(chunk);
}

export function* filterSync<T>(chunks: Iterable<T>, fn: (chunk: T) => boolean): Generator<T> {
  for (const chunk of chunks) if (fn(chunk)) yield chunk;
}
