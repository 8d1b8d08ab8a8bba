import type { Block, Cutter } from "./blocks.ts";

const blockMs = 0.5;

/** Blocks of chunks: of `blockSize` where blocks are meant, otherwise of about 500 µs of work, at most `blockSize`. */
export class ChunkCutter implements Cutter {
  readonly #maxSize: number;
  readonly #isFixed: boolean;
  #size: number;
  #chunkMs: number | undefined;
  #chunks: unknown[] = [];

  constructor(blockSize: number, isFixed: boolean) {
    this.#maxSize = blockSize;
    this.#isFixed = isFixed;
    this.#size = isFixed ? blockSize : 1;
  }

  add(chunk: unknown): Block | undefined {
    if (this.#chunks.push(chunk) >= this.#size) return this.#take();
  }

  takeRest(isEnd: boolean): Block | undefined {
    if (this.#chunks.length > 0 && (isEnd || !this.#isFixed)) return this.#take();
  }

  learn(size: number, busyMs: number): void {
    if (this.#isFixed || size === 0) return;
    const chunkMs = busyMs / size;
    // What comes first is slow: the compiler has not seen it yet.
    this.#chunkMs = this.#chunkMs === undefined ? chunkMs : (this.#chunkMs * 3 + chunkMs) / 4;
    const wanted = Math.ceil(blockMs / this.#chunkMs);
    this.#size = Math.max(1, Math.min(this.#maxSize, wanted, this.#size * 2));
  }

  #take(): Block {
    const chunks = this.#chunks;
    this.#chunks = [];
    return { chunks, size: chunks.length };
  }
}
