import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { NodeRead } from "../src/source/node_read.ts";
import type { UnderlyingDefaultSource } from "../src/web_types.ts";

/** The underlying source that reads a node `Readable`, one chunk a pull. */
export class NodeSource implements UnderlyingDefaultSource {
  readonly #stream: Readable;
  #read!: NodeRead;
  isCancelled = false;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  start(controller: ReadableStreamDefaultController<unknown>): void {
    this.#read = new NodeRead(this.#stream, (failure) => {
      if (failure === undefined) controller.close();
      else controller.error(failure.reason);
    });
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    const read = this.#read;
    while (!read.isOver) {
      const chunk = read.take();
      if (chunk === null) await read.wait();
      else {
        const isBytes = !this.#stream.readableObjectMode && Buffer.isBuffer(chunk);
        return controller.enqueue(
          isBytes ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk,
        );
      }
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.isCancelled = true;
    return this.#read.cancel(reason);
  }
}
