import type { Chain } from "./chain.ts";
import { Fifo } from "./fifo.ts";
import type { Output } from "./ports.ts";
import type { Ending } from "./stage.ts";

/**
 * The readable side of a fused chain. Chunks wait in a queue of its own, the native one being kept empty until
 * somebody reads: so that chunks produced before a failure are delivered before it.
 */
export class ReadableEnd implements Output {
  readonly measures: boolean;
  readonly #highWaterMark: number;
  readonly #size: ((chunk: unknown) => number) | undefined;
  readonly #queue = new Fifo();
  readonly #sizes = new Fifo();
  #totalSize = 0;
  #isWanted = false;
  #ending: Ending | undefined;
  #controller!: ReadableStreamDefaultController<unknown>;

  constructor(strategy: QueuingStrategy<unknown> | undefined) {
    const { highWaterMark, size } = strategy ?? {};
    this.#highWaterMark = highWaterMark === undefined ? 0 : Number(highWaterMark);
    if (!(this.#highWaterMark >= 0)) {
      throw new RangeError(
        `Cannot fuse: readableStrategy.highWaterMark must be a non-negative number, got ${highWaterMark}`,
      );
    }
    if (size !== undefined && typeof size !== "function") {
      throw new TypeError(
        `Cannot fuse: readableStrategy.size must be a function, got ${typeof size}`,
      );
    }
    // Called without a receiver, as the standard does.
    this.#size = size && ((chunk) => size.call(undefined as never, chunk));
    this.measures = size !== undefined;
  }

  open(chain: Chain): ReadableStream<unknown> {
    return new ReadableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#isWanted = true;
        this.#deliver();
        chain.run();
      },
      cancel: (reason) => {
        this.#queue.clear();
        this.#sizes.clear();
        return chain.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  hasRoom(): boolean {
    return this.desiredSize() > 0 || (this.#isWanted && this.#queue.length === 0);
  }

  desiredSize(): number {
    if (this.measures) return this.#highWaterMark - this.#totalSize;
    // What lies in the native queue counts too.
    return this.#highWaterMark - this.#queue.length + (this.#controller.desiredSize ?? 0);
  }

  writeOne(chunk: unknown): void {
    this.write([chunk], 1);
  }

  write(chunks: readonly unknown[], count: number): void {
    if (this.measures || !this.#isWanted || this.#highWaterMark > 0) {
      try {
        for (let i = 0; i < count; i++) this.#add(chunks[i]);
      } finally {
        if (this.#isWanted) this.#deliver();
      }
      return;
    }
    this.#isWanted = false;
    for (let i = 0; i < count; i++) this.#controller.enqueue(chunks[i]);
  }

  end(): void {
    this.#ending = { failed: false };
    this.#finishIfEmpty();
  }

  fail(reason: unknown): void {
    this.#ending = { failed: true, reason };
    this.#finishIfEmpty();
  }

  #add(chunk: unknown): void {
    if (this.measures) {
      const size = Number(this.#size!(chunk));
      if (!(size >= 0) || size === Infinity) {
        throw new RangeError(
          `Cannot enqueue: size must be a finite, non-negative number, got ${size}`,
        );
      }
      this.#sizes.push(size);
      this.#totalSize += size;
    }
    this.#queue.push(chunk);
  }

  /** Hands on what a read waits for; where nothing is counted, all there is. */
  #deliver(): void {
    const mayHandOnAll = this.#highWaterMark === 0 && !this.measures;
    while (this.#queue.length > 0 && (this.#isWanted || mayHandOnAll)) {
      this.#isWanted = false;
      if (this.measures) this.#totalSize -= this.#sizes.shift() as number;
      this.#controller.enqueue(this.#queue.shift());
    }
    this.#finishIfEmpty();
  }

  #finishIfEmpty(): void {
    const ending = this.#ending;
    if (ending === undefined || this.#queue.length > 0) return;
    if (!ending.failed) {
      this.#ending = undefined;
      this.#controller.close();
    } else if (this.#isWanted || this.#controller.desiredSize === 0) {
      // An error drops what the native queue holds, so it waits until that is read.
      this.#ending = undefined;
      this.#controller.error(ending.reason);
    }
  }
}
