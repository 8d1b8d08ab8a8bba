import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { isStandard } from "../src/standard_stream.ts";
import type { UnderlyingDefaultSource } from "../src/web_types.ts";
import { toError } from "./stage_error.ts";
import { destroyStream, onStreamEnd } from "./stream_end.ts";

/** The underlying source that reads a node `Readable`, one chunk a pull. */
export class NodeSource implements UnderlyingDefaultSource {
  readonly #stream: Readable;
  #isListening = false;
  #isOver = false;
  isCancelled = false;
  #endWait: (() => void) | undefined;
  #forget: (() => void) | undefined;
  readonly #wake = (): void => this.#endWait?.();

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  start(controller: ReadableStreamDefaultController<unknown>): void {
    this.#forget = onStreamEnd(this.#stream, { writable: false }, (failure) => {
      this.#stream.off("readable", this.#wake);
      this.#wake();
      if (this.#isOver) return;
      this.#isOver = true;
      if (failure === undefined) controller.close();
      else controller.error(failure.reason);
    });
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    const stream = this.#stream;
    if (!this.#isListening) {
      this.#isListening = true;
      stream.on("readable", this.#wake);
    }
    while (!this.#isOver) {
      const chunk: unknown = stream.read();
      if (chunk === null) await new Promise<void>((resolve) => this.#endWait = resolve);
      else {
        const isBytes = !stream.readableObjectMode && Buffer.isBuffer(chunk);
        return controller.enqueue(
          isBytes ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk,
        );
      }
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#isOver = this.isCancelled = true;
    if (isStandard(this.#stream)) {
      this.#stream.off("readable", this.#wake);
      this.#forget?.();
    }
    return destroyStream(this.#stream, reason === undefined ? undefined : toError(reason));
  }
}
