import { Buffer } from "node:buffer";
import { clearTimeout, setTimeout } from "node:timers";
import type { ByteRange } from "./parse_range.ts";
import type { ServedFile } from "./served_file.ts";

/** How a file is read. */
export interface FileRangeOptions {
  /** Bytes of one read. */
  readonly chunkSize: number;
  /** After this many milliseconds in which nobody asked for a chunk, the file is closed. */
  readonly idleTimeoutMs: number;
}

/**
 * The bytes of a range, one chunk for each `next`, read when it is asked for. It owns the file: closes
 * it with the last chunk, on any failure, on `return`, and when nobody has asked for a while.
 */
export class FileRange implements AsyncIterableIterator<Uint8Array<ArrayBuffer>> {
  readonly #file: ServedFile;
  readonly #chunkSize: number;
  readonly #end: number;
  #position: number;
  #asked = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: ServedFile, { start, end }: ByteRange, options: FileRangeOptions) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.#chunkSize = options.chunkSize;
    this.#watch(options.idleTimeoutMs);
  }

  /** One timer per range and none per chunk: it looks back whether somebody has asked since. */
  #watch(idleTimeoutMs: number): void {
    this.#timer = setTimeout(() => {
      if (!this.#asked) return void this.#close().catch(() => {});
      this.#asked = false;
      this.#watch(idleTimeoutMs);
    }, idleTimeoutMs);
    this.#timer.unref();
  }

  #close(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#file.close();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    this.#asked = true;
    const left = this.#end - this.#position;
    if (left === 0) {
      await this.#close();
      return { done: true, value: undefined };
    }
    // Not zeroed, which would cost as much as the read: only what was read is handed on.
    const buffer = Buffer.allocUnsafeSlow(Math.min(this.#chunkSize, left));
    try {
      const bytesRead = await this.#file.read(buffer, this.#position);
      this.#position += bytesRead;
      this.#asked = true;
      if (this.#position === this.#end) await this.#close();
      return { done: false, value: new Uint8Array(buffer.buffer, 0, bytesRead) };
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    this.#position = this.#end;
    await this.#close();
    return { done: true, value: undefined };
  }
}
