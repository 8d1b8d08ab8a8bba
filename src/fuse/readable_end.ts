import type { Engine } from "../engine/engine.ts";
import type { Ending, Output } from "../engine/ports.ts";
import { ReadableQueue } from "./readable_queue.ts";

// As a built-in would, whatever takes its place later.
const NativeReadableStream = ReadableStream;

/**
 * The readable side of a fused chain. What its strategy measures waits in a queue of its own, so that chunks made
 * before a failure are delivered before it; the native one holds what is not measured, and else one chunk.
 */
export class ReadableEnd implements Output {
  readonly isDirect = true;
  isEnded = false;
  readonly #queue: ReadableQueue;
  #controller!: ReadableStreamDefaultController<unknown>;
  /** A read waits. */
  #isWanted = false;
  #ending: Ending | undefined;
  /** The native stream closes once it is empty. */
  #isClosing = false;

  constructor(strategy: QueuingStrategy<unknown> | undefined) {
    this.#queue = new ReadableQueue(strategy);
  }

  open(engine: Engine): ReadableStream<unknown> {
    return new NativeReadableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#isWanted = true;
        this.#deliver();
        engine.run();
      },
      cancel: (reason) => {
        this.isEnded = true;
        this.#queue.clear();
        return engine.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  hasRoom(): boolean {
    return this.#isWanted || (!this.#queue.isPlain && this.#queue.desiredSize > 0);
  }

  desiredSize(): number {
    return this.#queue.isPlain ? this.#controller.desiredSize ?? 0 : this.#queue.desiredSize;
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) this.writeOne(chunks[i]);
  }

  writeOne(chunk: unknown): void {
    if (this.isEnded) return;
    const queue = this.#queue;
    // As in the standard, what a read waits for is not measured.
    if (queue.isPlain || (this.#isWanted && queue.length === 0)) {
      this.#isWanted = false;
      this.#controller.enqueue(chunk);
      return;
    }
    const size = queue.measure(chunk);
    // `size` is the user's: it may have ended the stream.
    if (this.isEnded) return;
    queue.push(chunk, size);
    if (this.#isWanted) this.#deliver();
  }

  end(ending: Ending): void {
    // A failure after an end that was not delivered takes its place, and that of what waited for it.
    const replaces = ending.failed && this.#ending !== undefined;
    if (replaces) this.#queue.clear();
    this.#ending = ending;
    this.#finish(replaces);
  }

  #deliver(): void {
    if (this.#isWanted && this.#queue.length > 0) {
      this.#isWanted = false;
      this.#controller.enqueue(this.#queue.shift());
    }
    this.#finish(false);
  }

  /** Ends the native stream once all before that is delivered, or at once. */
  #finish(atOnce: boolean): void {
    const ending = this.#ending;
    if (ending === undefined || this.isEnded || this.#queue.length > 0) return;
    const isEmpty = this.#controller.desiredSize === 0;
    if (ending.failed) {
      // An error drops what the native queue holds, so it waits until that is read.
      if (!atOnce && !isEmpty) return;
      this.isEnded = true;
      this.#controller.error(ending.reason);
    } else if (!this.#isClosing) {
      // The native queue closes behind what it holds; until then a failure may take the end's place.
      this.#isClosing = true;
      this.isEnded = isEmpty;
      this.#controller.close();
    }
  }
}
