import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, cancelAll, type SourceReader } from "./source_reader.ts";

type Controller = ReadableStreamDefaultController<unknown[]>;

/** A tuple that is being read. */
interface Round {
  readonly values: unknown[];
  /** How many reads are pending. */
  pending: number;
  hasChunk: boolean;
  readonly resolve: () => void;
}

/** The underlying source that reads one chunk of each of several sources for every chunk of its own. */
export class Zipping implements UnderlyingDefaultSource<unknown[]> {
  readonly #sources: readonly SourceReader<unknown>[];
  readonly #mode: "shortest" | "longest" | "strict";
  readonly #open: Set<SourceReader<unknown>>;
  #isOver = false;

  constructor(sources: readonly SourceReader<unknown>[], mode: "shortest" | "longest" | "strict") {
    this.#sources = sources;
    this.#mode = mode;
    this.#open = new Set(sources);
  }

  start(controller: Controller): void {
    if (this.#sources.length === 0) controller.close();
  }

  pull(controller: Controller): Promise<void> {
    return new Promise((resolve) => {
      const { length } = this.#sources;
      const values = new Array(length).fill(undefined);
      const round = { values, pending: this.#open.size, hasChunk: false, resolve };
      for (const [index, source] of this.#sources.entries()) {
        // An earlier source's `next()` may have cancelled all.
        if (this.#isOver) return resolve();
        if (this.#open.has(source)) this.#read(index, source, round, controller);
      }
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.#isOver = true;
    return cancelAll(this.#open, reason);
  }

  async #read(
    index: number,
    source: SourceReader<unknown>,
    round: Round,
    controller: Controller,
  ): Promise<void> {
    try {
      const { done, value } = await source.read();
      if (this.#isOver) return round.resolve();
      round.pending--;
      if (done) this.#open.delete(source);
      else {
        round.hasChunk = true;
        round.values[index] = value;
      }
      this.#settle(round, controller);
    } catch (reason) {
      // Where all is over, this changes nothing more; what has failed is not cancelled.
      this.#fail(round, controller, reason);
    }
  }

  /** Checks what the reads so far make of the round. */
  #settle(round: Round, controller: Controller): void {
    const hasEnded = this.#open.size < this.#sources.length;
    const isAtEnd = this.#mode === "shortest" ? hasEnded : this.#open.size === 0 && !round.hasChunk;
    if (isAtEnd) {
      this.#end(round, undefined);
      controller.close();
    } else if (this.#mode === "strict" && hasEnded && round.hasChunk) {
      this.#fail(round, controller, new TypeError("Cannot zip: the sources are not equally long"));
    } else if (round.pending === 0) {
      controller.enqueue(round.values);
      round.resolve();
    }
  }

  #fail(round: Round, controller: Controller, reason: unknown): void {
    this.#end(round, reason);
    controller.error(reason);
  }

  #end(round: Round, reason: unknown): void {
    this.#isOver = true;
    abandonAll(this.#open, reason);
    round.resolve();
  }
}
