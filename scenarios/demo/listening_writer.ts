import type { Readable } from "node:stream";

/**
 * Writes whatever `source` gives, in the style of event emitters: without a stream of its own, so without a buffer,
 * it pauses the source while `concurrency` writes are in flight, and any write that finishes lets it flow on.
 */
export function listeningWriter(
  source: Readable,
  write: (chunk: string) => void | PromiseLike<void>,
  concurrency: number,
  close: () => void | PromiseLike<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let inFlight = 0;
    let hasEnded = false;
    const endIfDone = (): void => {
      if (hasEnded && inFlight === 0) Promise.resolve(close()).then(resolve, reject);
    };
    source.on("data", (chunk: string) => {
      const writing = write(chunk);
      if (writing === undefined) return;
      inFlight++;
      if (inFlight === concurrency) source.pause();
      writing.then(() => {
        inFlight--;
        source.resume();
        endIfDone();
      }, reject);
    });
    source.on("end", () => {
      hasEnded = true;
      endIfDone();
    });
    source.on("error", reject);
  });
}
