import { Fifo } from "../fifo.ts";
import { directStream } from "./direct_stream.ts";
import type { ReadObserver, SourceEnding, SourceReader } from "./source_reader.ts";

interface Branch {
  readonly controller: ReadableStreamDefaultController<unknown>;
  /** What it has not asked for yet. */
  readonly waiting: Fifo;
  /** There while it asks and nothing waits for it. */
  answer: (() => void) | undefined;
  /** As what it is counted. */
  state: "asking" | "full" | "open";
}

/** Reads one source for several streams, no further ahead of any than the high-water mark. */
export class SharedSource<T> {
  readonly branches: ReadableStream<T>[];
  readonly #source: SourceReader<unknown>;
  readonly #highWaterMark: number;
  readonly #open = new Set<Branch>();
  /** How many branches are in each state: to look at all at each pull takes time in proportion to their square. */
  readonly #counts = { asking: 0, full: 0, open: 0 };
  #isReading = false;
  #ending: SourceEnding | undefined;

  constructor(source: SourceReader<unknown>, count: number, highWaterMark: number) {
    this.#source = source;
    this.#highWaterMark = highWaterMark;
    this.branches = Array.from({ length: count }, () => this.#makeBranch());
  }

  #makeBranch(): ReadableStream<T> {
    let branch: Branch;
    return directStream<T>(
      {
        waiting: () => this.#saidOf(branch),
        start: (controller) => {
          branch = { controller, waiting: new Fifo(), answer: undefined, state: "open" };
          this.#open.add(branch);
          this.#counts.open++;
          this.#count(branch);
        },
        pull: () => {
          if (this.#give(branch)) {
            // Others may have waited for room here.
            this.#read();
            return;
          }
          return new Promise((resolve) => {
            branch.answer = resolve;
            this.#count(branch);
            this.#read();
          });
        },
        cancel: (reason) => {
          this.#leave(branch);
          branch.waiting.clear();
          branch.answer?.();
          if (this.#open.size === 0) return this.#source.cancel(reason);
          // It may have been the one that the others waited for.
          this.#read();
        },
        // By a promise: who reads it may be in another async context than who has the chunk come.
      },
      "share",
      true,
    );
  }

  /** What a branch waits for. */
  #saidOf(asking: Branch): string {
    if (this.#isReading) return "its source has given nothing since";
    const full = [...this.#open].findIndex((branch) =>
      branch !== asking && branch.waiting.length >= this.#highWaterMark
    );
    return `branch ${full + 1} has no room: it is not read`;
  }

  /** Counts a branch as what it is now. */
  #count(branch: Branch): void {
    if (!this.#open.has(branch)) return;
    const { answer, waiting, state } = branch;
    const isFull = waiting.length >= this.#highWaterMark;
    branch.state = answer !== undefined ? "asking" : isFull ? "full" : "open";
    this.#counts[state]--;
    this.#counts[branch.state]++;
  }

  #leave(branch: Branch): void {
    if (this.#open.delete(branch)) this.#counts[branch.state]--;
  }

  #read(): void {
    // The chunk must have somewhere to go.
    if (this.#isReading || this.#counts.asking === 0 || this.#counts.full > 0) return;
    this.#isReading = true;
    this.#source.take(this.#observer);
  }

  readonly #observer: ReadObserver = {
    onChunk: (chunk) => {
      for (const branch of this.#open) {
        branch.waiting.push(chunk);
        this.#count(branch);
      }
      this.#answerAll();
    },
    onEnd: () => this.#end({ failed: false }),
    onFailure: (reason) => this.#end({ failed: true, reason }),
  };

  #end(ending: SourceEnding): void {
    this.#ending = ending;
    this.#answerAll();
  }

  #answerAll(): void {
    this.#isReading = false;
    for (const branch of this.#open) {
      const { answer } = branch;
      if (answer === undefined) continue;
      branch.answer = undefined;
      this.#give(branch);
      this.#count(branch);
      answer();
    }
  }

  /** Gives a branch that asks its next chunk or the end; tells whether there was either. */
  #give(branch: Branch): boolean {
    const { controller, waiting } = branch;
    if (waiting.length > 0) {
      const chunk = waiting.shift();
      this.#count(branch);
      controller.enqueue(chunk);
      return true;
    }
    if (this.#ending === undefined) return false;
    this.#leave(branch);
    if (this.#ending.failed) controller.error(this.#ending.reason);
    else controller.close();
    return true;
  }
}
