import { Buffer } from "node:buffer";
import { clearTimeout, setTimeout } from "node:timers";
import type { ByteRange } from "./parse_range.ts";
import type { FileAnswer } from "./file_request.ts";
import type { Settings } from "./read_settings.ts";
import { readWhole, type SentFile } from "./sent_file.ts";
import type { SlotHolder, Slots } from "./slots.ts";

/** How a file is read. */
export interface FileRangeOptions {
  /** Bytes of one read. */
  readonly chunkSize: number;
  /** After this many milliseconds in which no chunk was asked for, the file is closed. */
  readonly idleTimeoutMs: number;
  /**
   * Asked for each chunk when the next is wanted: whether the chunk's memory is free to be filled again.
   * Buffers that only the garbage collector takes back pile up by the hundred, being small to it.
   */
  readonly isFree?: ((chunk: Chunk) => boolean) | undefined;
  /** Once it aborts, the file is closed and the next read fails with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Where the file has a place, which may be taken back while no chunk is asked for. */
  readonly slots?: Slots | undefined;
  /** Called if no chunk was asked for in that time, or the place was taken back, after the file is closed. */
  readonly onIdle?: (() => void) | undefined;
  /** Called with the error of a read, unless the range was given up. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called once, when the file is closed, with the number of bytes passed on. */
  readonly onEnd?: ((sent: number) => void) | undefined;
}

/** With more answers than that under way, those that begin are read in smaller chunks. */
const mostLarge = 256;

/** Bytes of such a chunk, unless all are smaller. */
const smallChunk = 64 * 1024;

/** How many ranges are being read. */
let openRanges = 0;

/** What a range is read in. */
export type Chunk = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a range, one chunk for each `next`, read when it is asked for. It owns the file: closes
 * it with the last chunk, on any failure, on `return`, and when no chunk is asked for in time.
 */
export class FileRange implements AsyncIterableIterator<Chunk>, SlotHolder {
  readonly #file: SentFile;
  readonly #options: FileRangeOptions;
  readonly #end: number;
  readonly #chunkSize: number;
  #position: number;
  #sent = 0;
  #last: Chunk | undefined;
  #reusable: ArrayBuffer | undefined;
  #isReading = false;
  #askedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #brokenOff: { readonly reason: unknown } | undefined;
  readonly #abort = (): void => this.#breakOff(this.#options.signal!.reason);

  constructor(file: SentFile, { start, end }: ByteRange, options: FileRangeOptions) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.#options = options;
    const { chunkSize } = options;
    this.#chunkSize = openRanges >= mostLarge ? Math.min(chunkSize, smallChunk) : chunkSize;
    openRanges++;
    options.signal?.addEventListener("abort", this.#abort);
    options.slots?.watch(file, this);
    if (options.signal?.aborted) this.#abort();
    else this.#watch(options.idleTimeoutMs);
  }

  /** One timer per range and none per chunk: it looks back at the last request. */
  #watch(waitMs: number): void {
    this.#timer = setTimeout(() => {
      const { idleTimeoutMs, onIdle } = this.#options;
      const { idleMs } = this;
      if (idleMs < idleTimeoutMs) return this.#watch(Math.ceil(idleTimeoutMs - idleMs));
      this.#breakOff(new Error(`Cannot send: no chunk was asked for in ${idleTimeoutMs} ms`));
      onIdle?.();
    }, waitMs);
    this.#timer.unref();
  }

  #breakOff(reason: unknown): void {
    this.#brokenOff ??= { reason };
    this.#close().catch(() => {});
  }

  get sent(): number {
    return this.#sent;
  }

  get idleMs(): number {
    return this.#isReading ? 0 : performance.now() - this.#askedAt;
  }

  giveBack(): Promise<void> {
    this.#breakOff(new Error("Cannot send: others waited while the client read nothing"));
    this.#options.onIdle?.();
    return this.#close();
  }

  #close(): Promise<void> {
    this.#closing ??= (async () => {
      openRanges--;
      clearTimeout(this.#timer);
      this.#options.signal?.removeEventListener("abort", this.#abort);
      try {
        await this.#file.close();
      } finally {
        this.#options.onEnd?.(this.#sent);
      }
    })();
    return this.#closing;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes a chunk back whose bytes are no longer needed, to fill it again. */
  release({ buffer }: Chunk): void {
    if (buffer.byteLength === this.#chunkSize) this.#reusable = buffer;
  }

  /** Memory for one read; not zeroed, which would cost as much as the read: only what is read is passed on. */
  #takeBuffer(): ArrayBuffer {
    const last = this.#last;
    this.#last = undefined;
    // Only where it can be asked for is the last one remembered.
    if (last !== undefined && this.#options.isFree!(last)) this.release(last);
    const reusable = this.#reusable;
    this.#reusable = undefined;
    return reusable ?? Buffer.allocUnsafeSlow(this.#chunkSize).buffer;
  }

  async #read(): Promise<Chunk> {
    const buffer = this.#takeBuffer();
    const left = this.#end - this.#position;
    const wanted = new Uint8Array(buffer, 0, Math.min(this.#chunkSize, left));
    const bytesRead = await this.#file.read(wanted, this.#position);
    this.#position += bytesRead;
    this.#sent += bytesRead;
    return new Uint8Array(buffer, 0, bytesRead);
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    if (this.#brokenOff !== undefined) throw this.#brokenOff.reason;
    if (this.#position === this.#end) {
      await this.#close();
      return { done: true, value: undefined };
    }
    this.#isReading = true;
    try {
      const chunk = await this.#read();
      if (this.#position === this.#end) await this.#close();
      if (this.#options.isFree !== undefined) this.#last = chunk;
      return { done: false, value: chunk };
    } catch (error) {
      // It may have been cut short while it was read.
      const brokenOff = this.#brokenOff as { readonly reason: unknown } | undefined;
      if (brokenOff !== undefined) throw brokenOff.reason;
      if (this.#closing === undefined) this.#options.onError?.(error);
      await this.#close();
      throw error;
    } finally {
      this.#isReading = false;
      this.#askedAt = performance.now();
    }
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    this.#position = this.#end;
    await this.#close();
    return { done: true, value: undefined };
  }
}

/**
 * The body of an answer that is sent at once: what fits one chunk needs no stream. `undefined` if it is to be read on
 * demand.
 */
export async function wholeBody(
  { body = "" }: FileAnswer,
  { mode, chunkSize }: Settings,
): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  const { file, range } = body;
  const { start, end } = range;
  // In the mode "buffer" a part needs the whole file, to show the cost.
  if (mode === "buffer") {
    return (await readWhole(file, { start: 0, end: file.facts.size })).subarray(start, end);
  }
  return end - start <= chunkSize ? await readWhole(file, range) : undefined;
}
