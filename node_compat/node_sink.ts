import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { isStandard } from "../src/standard_stream.ts";
import type { UnderlyingSink } from "../src/web_types.ts";
import { toError, toReason } from "../src/source/stage_error.ts";
import {
  destroyStream,
  isClosing,
  onStreamEnd,
  prematureClose,
} from "../src/source/node_stream_end.ts";

const endedError = () => new TypeError("Cannot write: the node stream has ended");

/** The underlying sink that writes to a node `Writable`, and waits where that asks for it. */
export class NodeSink implements UnderlyingSink {
  readonly #stream: Writable;
  readonly #isStandard: boolean;
  #controller!: WritableStreamDefaultController;
  #forget!: () => void;
  /** What the call that runs waits for. */
  #waiting: PromiseWithResolvers<void> | undefined;
  #isClosing = false;
  /** Whether it takes no more. */
  isOver = false;
  #failure: { reason: unknown } | undefined;
  /** Whether a write has failed, which the stream's events may still have to say. */
  #isFailing = false;
  /** Writes that node has not called back for. */
  #unwritten = 0;
  #allWritten: PromiseWithResolvers<void> | undefined;
  /** When it is next looked whether all is written. */
  #nextLook: ReturnType<typeof setTimeout> | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#isStandard = isStandard(stream);
  }

  start(controller: WritableStreamDefaultController): void {
    this.#controller = controller;
    this.#stream.on("drain", this.#onDrain);
    this.#forget = onStreamEnd(this.#stream, { readable: false }, (failure) => this.#end(failure));
    controller.signal.addEventListener("abort", () => {
      // The standard waits for the call that runs, and a stalled stream would never answer.
      if (!this.#isClosing) {
        this.#waiting?.resolve();
        this.#tellWritten();
      } else if (this.#isStandard) this.#allWritten?.reject(controller.signal.reason);
      else destroyStream(this.#stream, toError(controller.signal.reason)).catch(() => {});
    });
  }

  write(chunk: unknown): void | Promise<void> {
    const stream = this.#stream;
    // What another has ended may still be on its way, and a write would destroy it.
    if (stream.writableEnded) throw endedError();
    this.#unwritten++;
    try {
      if (chunk === null) {
        throw new TypeError("Cannot write: a node stream cannot carry null, which is its end");
      }
      if (!stream.write(this.#own(chunk), this.#onWritten)) return this.#wait();
    } catch (reason) {
      this.#unwritten--;
      // The Web stream fails by itself; the node stream must learn of it.
      void this.abort(reason).catch(() => {});
      throw reason;
    }
    // Bytes among objects are not copied.
    if (stream.writableObjectMode && ArrayBuffer.isView(chunk)) return this.written();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#isStandard) {
      const end = this.#wait();
      this.#stream.end();
      return await end;
    }
    try {
      await this.written();
    } finally {
      this.#leave();
    }
  }

  abort(reason: unknown): Promise<void> {
    this.#leave();
    return destroyStream(this.#stream, toError(reason));
  }

  /** What is settled once node has written all it was given, or has failed; nothing if it has, or others hold it back. */
  written(): Promise<void> | undefined {
    const stream = this.#stream;
    if (this.#unwritten === 0) return undefined;
    if (this.#allWritten !== undefined) return this.#allWritten.promise;
    const { promise, reject } = this.#allWritten = Promise.withResolvers<void>();
    promise.catch(() => {});
    if (this.#failure !== undefined) reject(this.#failure.reason);
    // Some streams, as middleware replaces their `write`, never call back. An HTTP message is corked until the next turn.
    const look = (): void => {
      if (this.#allWritten?.promise !== promise || this.#isFailing) return;
      if (stream.writableLength === 0 || stream.writableCorked > 0) this.#tellWritten();
      // What a destroyed one holds is never written: its end says so.
      else if (!stream.destroyed) this.#nextLook = setTimeout(look, 10);
    };
    setImmediate(look);
    return promise;
  }

  /**
   * The chunk, or a copy of bytes that node would keep beyond the write: then they may change. What fills the buffer is
   * waited for, and not copied, unless it may come out of the other side.
   */
  #own(chunk: unknown): unknown {
    const { writableObjectMode, writableHighWaterMark, read } = this.#stream as Writable & {
      read?: unknown;
    };
    if (writableObjectMode || !ArrayBuffer.isView(chunk)) return chunk;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return read === undefined && bytes.length >= writableHighWaterMark ? bytes : Buffer.from(bytes);
  }

  readonly #onDrain = (): void => {
    if (!this.#isClosing) this.#waiting?.resolve();
  };

  readonly #onWritten = (error?: Error | null): void => {
    if (error != null) {
      this.#isFailing = true;
      // Most streams say it by their events, too, which know better.
      setImmediate(() => {
        this.#unwritten--;
        if (isClosing(this.#stream)) return;
        const isDropped = (error as { code?: string }).code === "ERR_STREAM_DESTROYED";
        this.#end({ reason: isDropped ? prematureClose() : toReason(error) });
      });
    } else if (--this.#unwritten === 0) {
      this.#tellWritten();
      if (this.isOver) this.#leave();
    }
  };

  #tellWritten(): void {
    clearTimeout(this.#nextLook);
    this.#allWritten?.resolve();
    this.#allWritten = undefined;
  }

  #wait(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #end(failure?: { reason: unknown }): void {
    this.#stream.off("drain", this.#onDrain);
    const wasOver = this.isOver;
    this.#leave();
    if (wasOver) return;
    if (failure === undefined && this.#isClosing) return this.#waiting?.resolve();
    failure ??= { reason: endedError() };
    this.#failure = failure;
    clearTimeout(this.#nextLook);
    this.#waiting?.reject(failure.reason);
    this.#allWritten?.reject(failure.reason);
    this.#controller.error(failure.reason);
  }

  /** Lets go of the process's own once all is written; until then what fails there must not crash the process. */
  #leave(): void {
    this.isOver = true;
    if (!this.#isStandard || this.#unwritten > 0) return;
    this.#stream.off("drain", this.#onDrain);
    this.#forget();
  }
}
