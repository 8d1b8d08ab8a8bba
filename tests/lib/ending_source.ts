/** A native source of chunks that fails with "source" before one of them; counts how often it has ended. */
export function endingSource(chunks: readonly number[], failsAt: number | null) {
  let [next, closed] = [0, 0];
  const source = new ReadableStream<number>({
    pull(controller) {
      if (next === failsAt) {
        closed++;
        controller.error("source");
      } else if (next < chunks.length) controller.enqueue(chunks[next++]!);
      else {
        closed++;
        controller.close();
      }
    },
    cancel: () => void closed++,
  }, { highWaterMark: 0 });
  return {
    source,
    get closed() {
      return closed;
    },
  };
}
