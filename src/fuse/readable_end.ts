import type { Engine } from "../engine/engine.ts";
import type { Ending, Output } from "../engine/ports.ts";
import { ReadableQueue } from "./readable_queue.ts";

// As a built-in would, whatever takes its place later.
const NativeReadableStream = ReadableStream;

/**
 * The readable side of a fused chain. Where chunks are counted, the native queue holds one at most, and the others
 * wait in a queue of its own, so that chunks made before a failure are delivered before it.
 */
export class ReadableEnd implements Output, UnderlyingDefaultSource<unknown> {
  readonly isDirect = true;
  isEnded = false;
  readonly #queue: ReadableQueue;
  readonly #nativeMark: 0 | 1;
  #engine!: Engine;
  #controller!: ReadableStreamDefaultController<unknown>;
  /** A read waits, as far as that is known: without a mark a native stream says so. */
  #isWanted = false;
  #ending: Ending | undefined;
  /** The native stream closes once it is empty. */
  #isClosing = false;

  constructor(strategy: QueuingStrategy<unknown> | undefined) {
    this.#queue = new ReadableQueue(strategy);
    // With a mark, a native stream says when its chunk has been read. What a `size` of the user's measures waits for a
    // read outside of it: there a chunk must not be before it is measured.
    this.#nativeMark = this.#queue.highWaterMark > 0 && !this.#queue.isMeasured ? 1 : 0;
  }

  open(engine: Engine): ReadableStream<unknown> {
    this.#engine = engine;
    return new NativeReadableStream<unknown>(this, { highWaterMark: this.#nativeMark });
  }

  start(controller: ReadableStreamDefaultController<unknown>): void {
    this.#controller = controller;
  }

  pull(): void {
    this.#isWanted = this.#nativeMark === 0;
    this.#deliver();
    this.#engine.run();
  }

  cancel(reason: unknown): Promise<void> {
    const isDelivered = this.isEnded;
    this.isEnded = true;
    this.#queue.clear();
    // The chunks before a failure are given up, the failure is not.
    if (!isDelivered && this.#ending?.failed) return Promise.reject(this.#ending.reason);
    return this.#engine.cancel(reason);
  }

  hasRoom(): boolean {
    return this.#isWanted || (!this.#queue.isPlain && this.desiredSize() > 0);
  }

  desiredSize(): number {
    const native = this.#controller.desiredSize ?? 0;
    if (this.#queue.isPlain) return native;
    return this.#queue.desiredSize - this.#nativeMark + Math.min(native, this.#nativeMark);
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) this.writeOne(chunks[i]);
  }

  writeOne(chunk: unknown): void {
    if (this.isEnded) return;
    const queue = this.#queue;
    // What a read waits for is not measured, as in the standard; what is counted may wait in the native queue.
    if (queue.isPlain || (queue.length === 0 && (this.#isWanted || this.#mayHold()))) {
      this.#isWanted = false;
      this.#controller.enqueue(chunk);
      return;
    }
    const size = queue.measure(chunk);
    // `size` is the user's: it may have ended the stream, or read from it.
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

  /** Whether the native queue takes a chunk that no read may wait for. */
  #mayHold(): boolean {
    return this.#nativeMark === 1 && this.#controller.desiredSize === 1;
  }

  #deliver(): void {
    const queue = this.#queue;
    if (queue.length > 0 && (this.#isWanted || this.#mayHold())) {
      this.#isWanted = false;
      this.#controller.enqueue(queue.shift());
    }
    this.#finish(false);
  }

  /** Ends the native stream once all before that is delivered, or at once. */
  #finish(atOnce: boolean): void {
    const ending = this.#ending;
    if (ending === undefined || this.isEnded || this.#queue.length > 0) return;
    const isEmpty = this.#controller.desiredSize === this.#nativeMark;
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
