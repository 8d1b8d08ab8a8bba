import { byteLengthOf } from "../byte_length.ts";
import { checkInteger, throwTypeError } from "../errors.ts";
import { NONE, type OneKernel, runOneByOne } from "../kernels/kernel.ts";
import { runOneNatively } from "../kernels/one_operation.ts";
import { operator } from "../kernels/operator.ts";
import type { Slice } from "../kernels/slice.ts";
import { delay, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { OpenBatches } from "./open_batches.ts";

/** When `batch` emits a batch that is not full. */
export interface BatchOptions {
  /**
   * The most bytes of a batch, a positive integer: it is passed on before a chunk would exceed them; one
   * that does by itself is a batch of its own. Chunks must be bytes (a `Uint8Array` each) or text, which counts
   * as UTF-8, half a surrogate pair as three bytes. Default: any number.
   */
  maxBytes?: number | undefined;
  /**
   * Milliseconds after its first chunk at which a batch is passed on though it is not full, or as soon as there
   * is room for it after that, from 0 to 2,147,483,647. Default: batches wait until they are full or the stream ends.
   */
  maxWaitMs?: number | undefined;
}

/**
 * Gathers chunks into arrays of `size`; the last array may be shorter.
 *
 * @typeParam T The type of the chunks that come in; arrays of them go out.
 * @param size How many chunks make a batch.
 * @param options When a batch is emitted before it is full.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If a number is not one, or an option is unknown.
 * @throws {RangeError} If `size` or `maxBytes` is not a positive integer, or `maxWaitMs` not a delay a timer knows.
 *
 * @example Pairs
 * ```ts
 * import { batch } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const pairs = ReadableStream.from([1, 2, 3])
 *   .pipeThrough(new TransformStream(batch<number>(2, { maxWaitMs: 1000 })));
 *
 * assert.deepEqual(await Array.fromAsync(pairs), [[1, 2], [3]]);
 * ```
 */
export function batch<T>(size: number, options: BatchOptions = {}): Transformer<T, T[]> {
  checkInteger("create batch", "size", size, 1);
  const readers = { maxBytes: integer(undefined), maxWaitMs: delay() };
  const { maxBytes, maxWaitMs } = readOptions("create batch", options, readers);

  if (maxBytes === undefined && maxWaitMs === undefined) {
    const makeKernel = () => new BatchKernel(size);
    return operator((controller) => runOneNatively(makeKernel(), controller), {
      name: "batch",
      makeKernel,
    });
  }
  const mostBytes = maxBytes ?? Infinity;
  const limits = { size, maxKeys: 1, maxWaitMs };
  return operator((controller: TransformStreamDefaultController<T[]>) => {
    let byteLength = 0;
    const batches = new OpenBatches<undefined, T>(limits, controller, (_, chunks) => {
      byteLength = 0;
      controller.enqueue(chunks);
    });
    return {
      transform(chunk) {
        const length = maxBytes === undefined ? 0 : byteLengthOf(chunk);
        if (length === undefined) {
          // A stage that fails by itself is not cancelled, and its timer would go on.
          batches.drop();
          throwTypeError("batch", "with maxBytes, a chunk", "a Uint8Array or a string", chunk);
        }
        if (byteLength + length > mostBytes) batches.flush();
        byteLength += length;
        batches.add(undefined, chunk);
        if (byteLength >= mostBytes) batches.flush();
      },
      flush: () => batches.flush(),
      flushNow: () => batches.flush(),
      cancel: () => batches.drop(),
    };
  }, { name: "batch" });
}

/** What `batch` does where only the number of chunks counts. */
class BatchKernel implements OneKernel {
  readonly remembers = true;
  /** How many chunks it was given. */
  index = 0;
  readonly #size: number;
  #chunks: unknown[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  one(chunk: unknown): unknown {
    this.index++;
    const chunks = this.#chunks;
    if (chunks.push(chunk) < this.#size) return NONE;
    this.#chunks = [];
    return chunks;
  }

  run(slice: Slice): number {
    return runOneByOne(this, slice);
  }

  flush(): unknown {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 0 ? NONE : chunks;
  }

  flushNow(): unknown {
    return this.flush();
  }

  stop(): void {
    this.#chunks = [];
  }

  /** It never waits. */
  takePromise(): void {}

  settle(): unknown {
    return NONE;
  }
}
