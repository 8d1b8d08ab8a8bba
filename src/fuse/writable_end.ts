import type { Chain } from "./chain.ts";
import { abortChain } from "./endings.ts";
import type { Input } from "./ports.ts";

/** The writable side of a fused chain: one chunk at a time is offered, and taken when the chain has room. */
export class WritableEnd implements Input {
  #chain!: Chain;
  #controller: WritableStreamDefaultController | undefined;
  #chunk: unknown;
  #hasChunk = false;
  #waiting: PromiseWithResolvers<void> | undefined;
  #stopped: { reason: unknown } | undefined;

  open(chain: Chain, strategy: QueuingStrategy<unknown> | undefined): WritableStream<unknown> {
    this.#chain = chain;
    return new WritableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
        if (this.#stopped) controller.error(this.#stopped.reason);
        // A write that waits for room would keep an abort waiting: the stream lets it settle first.
        controller.signal.addEventListener(
          "abort",
          () => this.#hasChunk && this.#refuse(controller.signal.reason),
        );
      },
      write: (chunk) => this.#write(chunk),
      close: () => this.#close(),
      abort: (reason) => abortChain(chain, reason),
    }, strategy);
  }

  #write(chunk: unknown): Promise<void> | undefined {
    const chain = this.#chain;
    const first = chain.stages[0]!;
    this.#chunk = chunk;
    this.#hasChunk = true;
    chain.run();
    if (this.#hasChunk) {
      if (this.#stopped) return Promise.reject(this.#stopped.reason);
    } else if (!first.isBusy && first.iterator === undefined && !first.hasFailed) {
      return undefined;
    }
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (!this.#hasChunk) this.#settleWithFirst();
    return promise;
  }

  /** A write is done when the first stage is, as in a transform stream. */
  #settleWithFirst(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const first = this.#chain.stages[0]!;
    const settle = () => {
      if (first.isBusy) first.pending!.then(settle);
      // Its last chunk out, `take` asks again: a pipe whose source fails must not abort before.
      else if (first.iterator !== undefined) this.#waiting = waiting;
      else if (!first.hasFailed) waiting.resolve();
      else if (this.#stopped !== undefined) waiting.reject(this.#stopped.reason);
      // `stop` is about to tell the reason.
      else this.#waiting = waiting;
    };
    settle();
  }

  take(): boolean {
    if (!this.#hasChunk) {
      this.#settleWithFirst();
      return false;
    }
    const chunk = this.#chunk;
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#chain.feed(chunk);
    this.#settleWithFirst();
    return true;
  }

  #close(): Promise<void> | undefined {
    this.#chain.end();
    if (this.#chain.stages[0]!.isClosed) {
      return this.#stopped ? Promise.reject(this.#stopped.reason) : undefined;
    }
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  finish(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  stop(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.#refuse(reason);
    this.#controller?.error(reason);
  }

  #refuse(reason: unknown): void {
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }
}
