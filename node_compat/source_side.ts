import { Readable } from "node:stream";
import { awaitable, whenSettled } from "../src/awaitable.ts";
import type { UnderlyingDefaultSource } from "../src/web_types.ts";
import { type Callback, callBack } from "./call_back.ts";
import { toError, toReason } from "../src/source/stage_error.ts";

/** Drives an underlying source for a node stream: a `_read` of the one is a `pull` of the other, at once. */
export class SourceSide implements ReadableStreamDefaultController<unknown> {
  readonly #stream: Readable;
  readonly #source: UnderlyingDefaultSource;
  #isPulling = false;
  #isWanted = false;
  // Once the source has ended or failed, there is nothing to give back to it.
  #isOver = false;

  /** Starts the source, which may throw. */
  constructor(stream: Readable, source: UnderlyingDefaultSource) {
    this.#stream = stream;
    this.#source = source;
    const started = awaitable(source.start?.(this));
    if (started !== undefined) this.#wait(started);
  }

  /** The room that is left in the buffer; 0 at the end. */
  get desiredSize(): number {
    const { readableHighWaterMark, readableLength } = this.#stream;
    return this.#isOver ? 0 : readableHighWaterMark - readableLength;
  }

  /** Pushes a chunk. */
  enqueue(chunk?: unknown): void {
    if (this.#isOver) throw new TypeError("Cannot enqueue: the stream has ended or failed");
    if (chunk === null) {
      const error = new TypeError("Cannot read: a node stream cannot carry null, which is its end");
      this.#stream.destroy(error);
      throw error;
    }
    this.#isWanted = false;
    this.#stream.push(chunk);
  }

  /** Pushes the end. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.push(null);
  }

  /** Destroys the stream. */
  error(reason?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.destroy(toError(reason));
  }

  /** Answers `_read`. A consumer may ask for more while chunks are being pushed: it gets that after them, not within. */
  read(): void {
    this.#isWanted = true;
    if (this.#isPulling) return;
    this.#isPulling = true;
    try {
      while (this.#isWanted && !this.#isOver) {
        this.#isWanted = false;
        const pulled = awaitable(this.#source.pull?.(this));
        if (pulled !== undefined) return this.#wait(pulled);
      }
    } catch (reason) {
      this.error(reason);
    }
    this.#isPulling = false;
  }

  /** Answers `_destroy`: cancels what has not ended. */
  destroy(error: Error | null, callback: Callback): void {
    if (this.#isOver) return callback(error);
    this.#isOver = true;
    const reason = toReason(error ?? undefined);
    callBack(() => this.#source.cancel?.(reason), (failure) => callback(error ?? failure));
  }

  #wait(promise: Promise<unknown>): void {
    this.#isPulling = true;
    whenSettled(promise, () => {
      this.#isPulling = false;
      if (this.#isWanted) this.read();
    }, (reason) => this.error(reason));
  }
}

/** Makes an object-mode `Readable` of an underlying source. */
export function sourceReadable(source: UnderlyingDefaultSource, highWaterMark: number): Readable {
  const stream: Readable = new Readable({
    objectMode: true,
    highWaterMark,
    read: () => side.read(),
    destroy: (error, callback) => side.destroy(error, callback),
  });
  const side = new SourceSide(stream, source);
  return stream;
}
