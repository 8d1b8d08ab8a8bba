/** Gives one chunk `count` times. */
export function* repeat<Chunk>(chunk: Chunk, count: number): Generator<Chunk, void> {
  for (let index = 0; index < count; index++) yield chunk;
}
