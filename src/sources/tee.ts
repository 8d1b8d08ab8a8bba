import { checkInteger, checkOptions } from "../errors.ts";
import { Fifo } from "../fifo.ts";
import type { Source } from "../source_types.ts";
import { toStrategy } from "../strategy.ts";
import { directStream } from "./direct_stream.ts";
import { checkOneSource } from "./open_sources.ts";
import { type ReadObserver, type SourceEnding, SourceReader } from "./source_reader.ts";

/** How far the branches of `tee` may be apart. */
export interface TeeOptions {
  /**
   * How many chunks a branch may be behind the one that is ahead; the source waits for a branch that is
   * further. 0 reads only when all branches ask; `Infinity` never waits. Default: 1.
   */
  highWaterMark?: number | undefined;
}

/**
 * Gives the chunks of one source to several streams.
 *
 * The source is read when a branch asks and every other has room, so that what is held is bounded by the
 * high-water mark, and the pace is that of the slowest. A branch must be read or cancelled: one that is
 * cancelled holds nothing back. Once all are cancelled, the source is, with the last reason. Its failure or
 * its end reaches each branch after the chunks before it. All branches get the same chunk: copy it before
 * you change it.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request`. A stream is locked at once.
 * @param count How many branches.
 * @param options How far they may be apart.
 * @returns `count` streams.
 * @throws {TypeError} If `source` is none of these or locked, a number is not one, or an option is unknown.
 * @throws {RangeError} If `count` is not a positive integer, or `highWaterMark` negative.
 *
 * @example One source to two sinks
 * ```ts
 * import { pipeline, tee } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const kept: number[] = [];
 * let sum = 0;
 * const [first, second] = tee([1, 2, 3], 2);
 * await Promise.all([
 *   pipeline(first!, (n) => void kept.push(n)),
 *   pipeline(second!, (n) => void (sum += n)),
 * ]);
 *
 * assert.deepEqual([kept, sum], [[1, 2, 3], 6]);
 * ```
 */
export function tee<T>(
  source: Source<T>,
  count: number,
  options: TeeOptions = {},
): ReadableStream<T>[] {
  const action = "create tee";
  const found = checkOneSource(action, source);
  checkInteger(action, "count", count, 1);
  checkOptions(action, options, ["highWaterMark"]);
  const { highWaterMark = 1 } = toStrategy(action, options);
  return new SharedSource<T>(new SourceReader(found, "source of tee"), count, highWaterMark)
    .branches;
}

/** As what a branch is counted: it asks and nothing waits for it, it has no room, it has room, or it has ended. */
type BranchState = 0 | 1 | 2 | 3;

const ASKING = 0;
const FULL = 1;
const OPEN = 2;
const GONE = 3;

interface Branch {
  readonly controller: ReadableStreamDefaultController<unknown>;
  /** What it has not asked for yet. */
  readonly waiting: Fifo;
  isAsking: boolean;
  /** Called when what it has asked for is there, if its stream has asked. */
  answer: (() => void) | undefined;
  state: BranchState;
}

/** Reads one source for several streams, no further ahead of any than the high-water mark. */
class SharedSource<T> {
  readonly branches: ReadableStream<T>[];
  readonly #source: SourceReader<unknown>;
  readonly #highWaterMark: number;
  readonly #open = new Set<Branch>();
  /** How many branches are in each state: to look at all at each pull takes time in proportion to their square. */
  readonly #counts = [0, 0, 0];
  #isReading = false;
  #ending: SourceEnding | undefined;

  constructor(source: SourceReader<unknown>, count: number, highWaterMark: number) {
    this.#source = source;
    this.#highWaterMark = highWaterMark;
    this.branches = Array.from({ length: count }, () => this.#makeBranch());
  }

  #makeBranch(): ReadableStream<T> {
    let branch: Branch;
    // No promise, which a reader past the stream does not need.
    const pulled: PromiseLike<void> = {
      then(onFulfilled) {
        const answer = onFulfilled as () => void;
        if (branch.isAsking) branch.answer = answer;
        else answer();
        return this as PromiseLike<never>;
      },
    };
    return directStream<T>(
      {
        waiting: () => this.#saidOf(branch),
        start: (controller) => {
          const waiting = new Fifo();
          branch = { controller, waiting, isAsking: false, answer: undefined, state: OPEN };
          this.#open.add(branch);
          this.#counts[OPEN]!++;
          this.#count(branch);
        },
        pull: () => {
          if (this.#give(branch)) {
            // Others may have waited for room here.
            this.#read();
            return;
          }
          branch.isAsking = true;
          this.#count(branch);
          this.#read();
          return pulled;
        },
        cancel: (reason) => {
          this.#leave(branch);
          branch.waiting.clear();
          branch.isAsking = false;
          branch.answer?.();
          if (this.#open.size === 0) return this.#source.cancel(reason);
          // It may have been the one that the others waited for.
          this.#read();
        },
      },
      "tee",
      // By a promise: who reads it may be in another async context than who has the chunk come.
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
    const { state } = branch;
    if (state === GONE) return;
    const isFull = branch.waiting.length >= this.#highWaterMark;
    const now = branch.isAsking ? ASKING : isFull ? FULL : OPEN;
    if (now === state) return;
    branch.state = now;
    this.#counts[state]!--;
    this.#counts[now]!++;
  }

  #leave(branch: Branch): void {
    if (!this.#open.delete(branch)) return;
    this.#counts[branch.state]!--;
    branch.state = GONE;
  }

  #read(): void {
    // The chunk must have somewhere to go.
    if (this.#isReading || this.#counts[ASKING] === 0 || this.#counts[FULL]! > 0) return;
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
      if (!branch.isAsking) continue;
      const { answer } = branch;
      branch.isAsking = false;
      branch.answer = undefined;
      this.#give(branch);
      this.#count(branch);
      answer?.();
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
