/**
 * How long each write takes, in whole milliseconds: 100 to 1,000 and for one message in ten 1,000 more, divided by
 * `speedup`. Whole, because runtimes cut the rest off a timer's delay, each in its own way.
 */
export function messageDelays(count: number, random: () => number, speedup = 1): number[] {
  return Array.from({ length: count }, () => {
    const usual = 100 + Math.floor(random() * 901);
    const delay = random() < 0.1 ? usual + 1000 : usual;
    return Math.max(1, Math.round(delay / speedup));
  });
}

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
