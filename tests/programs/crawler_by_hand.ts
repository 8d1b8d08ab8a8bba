import { pipeline, take } from "@hosepipe/streams";
import { type Crawler, type CrawlerParts, pageOf } from "./_crawler.ts";

/** Waits, unless a signal aborts before or meanwhile. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** What has been found, what waits to be visited, and what is being visited. */
class Frontier {
  readonly #parts: CrawlerParts;
  readonly #known = new Set<string>();
  readonly #waiting: string[] = [];
  readonly #visits = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #failure: [reason: unknown] | undefined;
  #nextAt = performance.now();

  constructor(parts: CrawlerParts) {
    this.#parts = parts;
    this.#signal = parts.signal === undefined
      ? this.#stop.signal
      : AbortSignal.any([parts.signal, this.#stop.signal]);
  }

  async *crawl(start: readonly string[]): AsyncGenerator<string> {
    try {
      for (const url of start) this.#add(url);
      while (this.#waiting.length > 0 || this.#visits.size > 0) {
        if (this.#waiting.length === 0 || this.#visits.size === this.#parts.concurrency) {
          await Promise.race(this.#visits);
        } else {
          const url = this.#waiting.shift()!;
          await this.#waitForTurn();
          yield url;
          this.#begin(url);
        }
        if (this.#failure !== undefined) throw this.#failure[0];
      }
    } finally {
      this.#stop.abort();
      await Promise.all(this.#visits);
    }
  }

  #add(url: string): void {
    const page = pageOf(url);
    if (this.#known.has(page)) return;
    if (this.#known.size === 1_000_000) throw new RangeError("too many pages");
    this.#known.add(page);
    if (this.#waiting.length === this.#parts.maxPending) throw new RangeError("too many wait");
    this.#waiting.push(url);
  }

  async #waitForTurn(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextAt) await wait(Math.ceil(this.#nextAt - now), this.#signal);
    this.#nextAt = Math.max(this.#nextAt, performance.now()) + 1000 / this.#parts.perSecond;
  }

  #begin(url: string): void {
    const visit = this.#visit(url).catch((reason) => {
      this.#failure ??= [reason];
    }).finally(() => this.#visits.delete(visit));
    this.#visits.add(visit);
  }

  async #visit(url: string): Promise<void> {
    const { fetchPage, keep, onBroken } = this.#parts;
    let page;
    try {
      page = await fetchPage(url, this.#signal);
    } catch (reason) {
      if (!this.#signal.aborted) onBroken(url, reason);
      return;
    }
    await keep(page);
    for (const link of page.links) this.#add(link);
  }
}

/** The same with the stages that were there before. */
export const crawl: Crawler = async (start, parts) => {
  const found = new Frontier(parts).crawl(start);
  const { maxPages, onFound, signal } = parts;
  const { chunksWritten } = await pipeline(found, take(maxPages), onFound, { signal });
  return chunksWritten;
};
