/**
 * An underlying sink with several writes in flight, of which only the one that was started last can let the next in:
 * all that a single promise, or node's single callback, can express.
 */
export function lastAdmittingSink(
  write: (chunk: string) => void | PromiseLike<void>,
  concurrency: number,
  close: () => void | PromiseLike<void> = () => {},
): UnderlyingSink<string> {
  const inFlight = new Set<PromiseLike<void>>();
  return {
    write(chunk): void | PromiseLike<void> {
      const writing = write(chunk);
      if (writing === undefined) return;
      const settled = writing.then(() => void inFlight.delete(settled));
      inFlight.add(settled);
      if (inFlight.size >= concurrency) return settled;
    },
    close(): void | PromiseLike<void> {
      return inFlight.size === 0 ? close() : Promise.all(inFlight).then(() => close());
    },
  };
}
