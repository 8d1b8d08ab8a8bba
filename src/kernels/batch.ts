import { NONE, type OneKernel, runOneByOne } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** What `batch` does where only the number of chunks counts. */
export class BatchKernel implements OneKernel {
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
