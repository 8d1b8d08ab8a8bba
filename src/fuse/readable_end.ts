import type { Engine } from "../engine/engine.ts";
import type { Ending, Output } from "../engine/ports.ts";
import { ReadableQueue } from "./readable_queue.ts";

// As a built-in would, whatever takes its place later.
const NativeReadableStream = ReadableStream;

/**
 * The readable side of a fused chain. Where a strategy measures, the native queue holds one chunk at most, and the
 * others wait in a queue of its own, so that chunks made before a failure are delivered before it.
 */
export class ReadableEnd implements Output {
  readonly isDirect = true;
  isEnded = false;
  readonly #queue: ReadableQueue;
  readonly #nativeMark: number;
  #controller!: ReadableStreamDefaultController<unknown>;
  /** A read waits, where nothing is made without one. */
  #isWanted = false;
  /** The size of the chunk in the native queue, if there is one. */
  #nativeSize = 0;
  #ending: Ending | undefined;
  /** The native stream closes once it is empty. */
  #isClosing = false;
  /** A chunk could not be measured: it must not be delivered. */
  #mustFail = false;

  constructor(strategy: QueuingStrategy<unknown> | undefined) {
    this.#queue = new ReadableQueue(strategy);
    // With one, a native stream says when its chunk has been read; without, when a read waits.
    this.#nativeMark = this.#queue.highWaterMark > 0 ? 1 : 0;
  }

  open(engine: Engine): ReadableStream<unknown> {
    return new NativeReadableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#isWanted = this.#nativeMark === 0;
        this.#deliver();
        engine.run();
      },
      cancel: (reason) => {
        this.isEnded = true;
        this.#queue.clear();
        return engine.cancel(reason);
      },
    }, { highWaterMark: this.#nativeMark });
  }

  hasRoom(): boolean {
    return this.#isWanted || (this.#nativeMark > 0 && this.desiredSize() > 0);
  }

  desiredSize(): number {
    const native = this.#controller.desiredSize ?? 0;
    if (this.#queue.isPlain) return native;
    // A native stream that is closed says 0, as one that is open and full.
    if (this.#isClosing && native === 0 && this.#queue.length === 0 && this.#nativeMark === 0) {
      return 0;
    }
    return this.#queue.desiredSize - (native < this.#nativeMark ? this.#nativeSize : 0);
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) this.writeOne(chunks[i]);
  }

  writeOne(chunk: unknown): void {
    if (this.isEnded) return;
    const queue = this.#queue;
    if (queue.isPlain) {
      this.#isWanted = false;
      this.#controller.enqueue(chunk);
    } else if (queue.length === 0 && this.#isNativeEmpty()) this.#writeNative(chunk);
    else {
      const size = queue.measure(chunk);
      // `size` is the user's: it may have ended the stream.
      if (!this.isEnded) queue.push(chunk, size);
    }
  }

  end(ending: Ending): void {
    // A failure after an end that was not delivered takes its place, and that of what waited for it.
    const replaces = ending.failed && this.#ending !== undefined;
    if (replaces || this.#mustFail) this.#queue.clear();
    this.#ending = ending;
    this.#finish(replaces || this.#mustFail);
  }

  /** Gives a chunk to the read that waits; if none does, it is measured, as in the standard. */
  #writeNative(chunk: unknown): void {
    this.#isWanted = false;
    this.#nativeSize = 0;
    this.#controller.enqueue(chunk);
    if (this.#isNativeEmpty()) return;
    try {
      this.#nativeSize = this.#queue.measure(chunk);
    } catch (reason) {
      this.#mustFail = true;
      throw reason;
    }
  }

  #isNativeEmpty(): boolean {
    return this.#controller.desiredSize === this.#nativeMark;
  }

  #deliver(): void {
    const queue = this.#queue;
    if (queue.length > 0 && this.#isNativeEmpty()) {
      this.#isWanted = false;
      this.#nativeSize = queue.nextSize;
      this.#controller.enqueue(queue.shift());
    }
    this.#finish(false);
  }

  /** Ends the native stream once all before that is delivered, or at once. */
  #finish(atOnce: boolean): void {
    const ending = this.#ending;
    if (ending === undefined || this.isEnded || this.#queue.length > 0) return;
    const isEmpty = this.#isNativeEmpty();
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
