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
  /**
   * Asked for each chunk when the next is wanted: whether the chunk's memory is free to be filled again.
   * Buffers that only the garbage collector takes back pile up by the hundred, being small to it.
   */
  readonly isFree?: (chunk: Chunk) => boolean;
  /** Once it aborts, the file is closed and the next read fails. */
  readonly signal?: AbortSignal;
}

/** What a range is read in. */
export type Chunk = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a range, one chunk for each `next`, read when it is asked for. It owns the file: closes
 * it with the last chunk, on any failure, on `return`, and when nobody has asked for a while.
 */
export class FileRange implements AsyncIterableIterator<Chunk> {
  readonly #file: ServedFile;
  readonly #chunkSize: number;
  readonly #end: number;
  #position: number;
  readonly #isFree: ((chunk: Chunk) => boolean) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #breakOff = (): void => void this.#close().catch(() => {});
  #last: Chunk | undefined;
  #spare: ArrayBuffer | undefined;
  #asked = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: ServedFile, { start, end }: ByteRange, options: FileRangeOptions) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.#chunkSize = options.chunkSize;
    this.#isFree = options.isFree;
    this.#signal = options.signal;
    this.#signal?.addEventListener("abort", this.#breakOff);
    if (this.#signal?.aborted) this.#breakOff();
    this.#watch(options.idleTimeoutMs);
  }

  /** One timer per range and none per chunk: it looks back whether somebody has asked since. */
  #watch(idleTimeoutMs: number): void {
    this.#timer = setTimeout(() => {
      if (!this.#asked) return this.#breakOff();
      this.#asked = false;
      this.#watch(idleTimeoutMs);
    }, idleTimeoutMs);
    this.#timer.unref();
  }

  #close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#breakOff);
    return this.#file.close();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes a chunk back whose bytes nobody needs any more, to fill it again. */
  release({ buffer }: Chunk): void {
    if (buffer.byteLength === this.#chunkSize) this.#spare = buffer;
  }

  /** Memory for one read; not zeroed, which would cost as much as the read: only what is read is handed on. */
  #takeBuffer(): ArrayBuffer {
    const last = this.#last;
    this.#last = undefined;
    if (last !== undefined && this.#isFree?.(last)) this.release(last);
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? Buffer.allocUnsafeSlow(this.#chunkSize).buffer;
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    this.#asked = true;
    const left = this.#end - this.#position;
    if (left === 0) {
      await this.#close();
      return { done: true, value: undefined };
    }
    const buffer = this.#takeBuffer();
    try {
      const wanted = new Uint8Array(buffer, 0, Math.min(this.#chunkSize, left));
      const bytesRead = await this.#file.read(wanted, this.#position);
      this.#position += bytesRead;
      this.#asked = true;
      if (this.#position === this.#end) await this.#close();
      const chunk = new Uint8Array(buffer, 0, bytesRead);
      if (this.#isFree !== undefined) this.#last = chunk;
      return { done: false, value: chunk };
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    this.#position = this.#end;
    await this.#close();
    return { done: true, value: undefined };
  }
}
