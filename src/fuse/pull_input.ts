import type { Chain } from "./chain.ts";
import { abortChain } from "./endings.ts";
import type { Input, Turn } from "./ports.ts";
import { awaitChunk, type PullSource } from "./source.ts";

/** The reading end of a pipeline: asks its source for a chunk whenever the chain has room for one. */
export class PullInput implements Input {
  readonly #source: PullSource;
  readonly #turn: Turn;
  #chain!: Chain;
  #isReading = false;
  #hasEnded = false;
  #cancelling: Promise<{ readonly reason: unknown } | undefined> | undefined;
  /** Chunks that the source gave. */
  chunksRead = 0;

  constructor(source: PullSource, turn: Turn) {
    this.#source = source;
    this.#turn = turn;
  }

  open(chain: Chain): void {
    this.#chain = chain;
  }

  take(): boolean {
    if (this.#isReading) return false;
    try {
      const source = this.#source;
      if ("iterator" in source) return this.#takeAtOnce(source.iterator);
      this.#await(source.next());
      return false;
    } catch (reason) {
      this.#fail(reason);
      return true;
    }
  }

  /** Takes chunk after chunk while nothing has to wait anywhere. */
  #takeAtOnce(iterator: Iterator<unknown>): boolean {
    const chain = this.#chain;
    const turn = this.#turn;
    do {
      const result = iterator.next();
      if (result.done) {
        this.#accept({ done: true, value: undefined });
        return true;
      }
      const chunk = result.value as { then?: unknown } | null | undefined;
      // Asked here and not by the shared helper: of one pipeline's chunks alone it is cheap to answer.
      if (typeof chunk === "object" && chunk !== null && typeof chunk.then === "function") {
        this.#await(awaitChunk(iterator, chunk as PromiseLike<unknown>));
        return false;
      }
      this.chunksRead++;
      chain.feed(chunk);
    } while (chain.isReady() && !turn.isOver(1));
    return true;
  }

  #await(promise: PromiseLike<IteratorResult<unknown, unknown>>): void {
    this.#isReading = true;
    promise.then(
      (result) => {
        this.#isReading = false;
        this.#accept(result);
        this.#chain.resume();
      },
      (reason) => {
        this.#isReading = false;
        this.#fail(reason);
      },
    );
  }

  #accept(result: IteratorResult<unknown, unknown>): void {
    if (this.#chain.isStopped) return;
    if (result.done) {
      this.#hasEnded = true;
      this.#chain.end();
    } else {
      this.chunksRead++;
      this.#chain.feed(result.value);
    }
  }

  #fail(reason: unknown): void {
    if (this.#hasEnded || this.#cancelling) return;
    this.#hasEnded = true;
    abortChain(this.#chain, reason).catch(() => {});
  }

  finish(): void {}

  stop(reason: unknown): void {
    if (this.#hasEnded || this.#cancelling) return;
    this.#cancelling = (async () => {
      try {
        await this.#source.cancel(reason);
      } catch (reason) {
        return { reason };
      }
    })();
  }

  /** Lets go of the source; resolves with what its cancelling failed with, if it did. */
  async release(): Promise<{ readonly reason: unknown } | undefined> {
    if (this.#cancelling === undefined) this.#source.release();
    return await this.#cancelling;
  }
}
