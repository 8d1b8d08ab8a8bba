/**
 * Gives one chunk `count` times. A plain iterator, as the sources of the others are plain functions: to resume a
 * generator can cost as much as the pipeline that asks it.
 */
export function repeat<Chunk>(chunk: Chunk, count: number): IterableIterator<Chunk, void> {
  let left = count;
  return {
    next: () => left-- > 0 ? { done: false, value: chunk } : { done: true, value: undefined },
    [Symbol.iterator]() {
      return this;
    },
  };
}
