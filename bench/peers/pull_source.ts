/** What a pull source calls: `end` is `true` at the end, an error on failure, otherwise `null`. */
export type PullCallback<Chunk> = (end: unknown, chunk?: Chunk) => void;

/** A source of pull-stream: asked for the next chunk, or asked to end. */
export type PullSource<Chunk> = (abort: unknown, callback: PullCallback<Chunk>) => void;

/** Makes an async generator a source of pull-stream. */
export function pullSource<Chunk>(chunks: AsyncGenerator<Chunk>): PullSource<Chunk> {
  return (abort, callback) => {
    if (abort) {
      chunks.return(undefined).then(() => callback(abort), () => callback(abort));
    } else {
      chunks.next().then(
        ({ done, value }) => done ? callback(true) : callback(null, value),
        (error) => callback(error),
      );
    }
  };
}
