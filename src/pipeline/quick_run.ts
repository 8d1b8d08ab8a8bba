import { openIterator, type PullSource } from "../source/open_source.ts";
import { checkResult } from "../check_result.ts";
import type { Row } from "../engine/divide_at_pairs.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { Entry, Failure } from "../engine/ports.ts";
import { TimedTurnBudget } from "../engine/turn_budget.ts";
import { awaitable } from "../awaitable.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { DONE, type Kernel, NONE, type OneKernel, WAIT } from "../kernels/kernel.ts";
import { Slice } from "../kernels/slice.ts";
import type { PipelineResult } from "./pipeline_types.ts";

/** What a run that ends now did, as long as no stage has counted anything. */
export function makeResult(
  chunksRead: number,
  chunksWritten: number,
  startedAtMs: number,
): PipelineResult {
  const elapsedMs = performance.now() - startedAtMs;
  return { chunksRead, chunksWritten, chunksSkipped: 0, chunksRetried: 0, elapsedMs };
}

export type Write = (this: void, chunk: unknown) => unknown;

/** One that makes many of a chunk has no `one`. */
type Step = Partial<Pick<OneKernel, "one">>;

/** Thrown where a signal has aborted while a stage was called. */
const gone = Symbol("gone");

/** A step that ends the walk if the signal has aborted: a look in the loop would slow down runs without a signal. */
function heed(kernel: Step, signal: AbortSignal): Step {
  if (kernel.one === undefined) return kernel;
  return {
    one(chunk) {
      const result = kernel.one!(chunk);
      // What a promise comes to must be heard all the same.
      if (signal.aborted && result !== WAIT) throw gone;
      return result;
    },
  };
}

/** Whether the stages can run without an engine: each is an operator that needs no controller. */
export function canRunQuickly(plans: readonly StagePlan[]): boolean {
  return plans.every(({ makeKernel, isGenerator, transform }) =>
    makeKernel !== undefined && !isGenerator && transform === undefined
  );
}

/**
 * A run that needs no engine as long as nothing waits, fails or takes longer than a turn of the event loop: most short
 * runs end like that. Otherwise an engine goes on with what is under way.
 */
export class QuickRun {
  readonly turn: TimedTurnBudget = new TimedTurnBudget();
  readonly #signal: AbortSignal | undefined;
  chunksRead = 0;
  chunksWritten = 0;
  /** Where the engine enters. */
  entry: Entry | undefined = undefined;
  /** Gives, or throws, what the sink did with the first chunk that the engine hands to it. */
  answer: (() => unknown) | undefined = undefined;
  readonly source: Iterator<unknown>;
  /** Gives the chunks that follow. */
  iterator: Iterator<unknown>;
  readonly #write: Write;
  readonly #kernels: Kernel[] = [];
  /** The kernels as a chunk walks through them. */
  readonly #steps: readonly Step[];

  constructor(
    iterator: Iterator<unknown>,
    plans: readonly StagePlan[],
    write: Write,
    signal: AbortSignal | undefined,
  ) {
    this.#signal = signal;
    this.source = this.iterator = iterator;
    this.#write = write;
    for (const { makeKernel } of plans) this.#kernels.push(makeKernel!());
    const kernels = this.#kernels as Step[];
    this.#steps = signal === undefined ? kernels : kernels.map((kernel) => heed(kernel, signal));
  }

  /** The same stages, with the kernels that have begun. */
  planRest(plans: readonly StagePlan[]): Row[] {
    const rest = plans.map((plan, index) => ({
      ...plan,
      makeKernel: () => this.#kernels[index]!,
    }));
    return [{ plans: rest, pair: undefined, from: 0 }];
  }

  /** The source for a run that goes on. */
  openRest(): PullSource {
    return { ...openIterator(this.source), iterator: this.iterator };
  }

  /** Answers nothing if an engine must go on. */
  execute(): PipelineResult | undefined {
    const { iterator, turn } = this;
    do {
      let chunk: unknown;
      try {
        const result = iterator.next();
        if (typeof result !== "object" || result === null) checkResult(result);
        if (result.done) return this.#isAborted() ? undefined : this.#end();
        chunk = result.value;
      } catch (reason) {
        return void this.#readFirst(throws(reason));
      }
      const promise = typeof chunk === "number" ? undefined : awaitable(chunk);
      if (this.#isAborted()) {
        promise?.then(undefined, () => {});
        return;
      }
      if (promise !== undefined) {
        return void this.#readFirst(gives({ done: false, value: promise }));
      }
      this.chunksRead++;
      if (!this.#walk(chunk) || this.#isAborted()) return;
    } while (!turn.isOver(1));
  }

  /** Whether an engine must end it: what was under way is dropped. */
  #isAborted(): boolean {
    return this.#signal !== undefined && this.#signal.aborted;
  }

  /** A kernel that may have kept something gives that to an engine. */
  #end(): PipelineResult | undefined {
    if (this.#kernels.some((kernel) => (kernel as OneKernel).flush !== undefined)) {
      return void this.#readFirst(gives({ done: true, value: undefined }));
    }
    return makeResult(this.chunksRead, this.chunksWritten, this.turn.startedAtMs);
  }

  /** What was read is read again. */
  #readFirst(read: () => IteratorResult<unknown>): void {
    const { iterator } = this;
    this.iterator = {
      next() {
        this.next = () => iterator.next();
        return read();
      },
      return: () => iterator.return?.() as IteratorResult<unknown>,
    };
  }

  /** Lets a chunk walk to the sink; tells whether nothing is left of it. */
  #walk(chunk: unknown): boolean {
    const kernels = this.#steps;
    let index = 0;
    try {
      for (; index < kernels.length; index++) {
        const kernel = kernels[index]!;
        if (kernel.one === undefined) return this.#walkOn(load(chunk), index);
        const result = kernel.one(chunk);
        if (typeof result === "symbol") {
          if (result === NONE) return true;
          if (result === WAIT) return this.#leave(load(chunk), index, 0);
        }
        chunk = result;
      }
    } catch (reason) {
      if (reason === gone) return false;
      return this.#leave(load(chunk), index, 0, { failed: true, reason });
    }
    return this.#writeOne(chunk) || this.#leave(load(chunk), index);
  }

  /** Lets a slice walk on from the stage at `index`. */
  #walkOn(slice: Slice, index: number): boolean {
    const kernels = this.#kernels;
    for (; index < kernels.length; index++) {
      const kernel = kernels[index]!;
      if ("one" in kernel) {
        let done: number;
        try {
          done = kernel.run(slice);
        } catch (reason) {
          return this.#leave(slice, index, 0, { failed: true, reason });
        }
        if (done < slice.count) return this.#leave(slice, index, done);
        if (this.#isAborted()) return false;
        if (slice.kept < slice.count) slice.truncate(slice.kept);
      } else {
        slice.limit = this.turn.sliceSize;
        const answer = kernel.run(slice);
        const isPlain = answer === DONE && slice.taken === slice.count;
        if (isPlain && this.#isAborted()) return false;
        if (!isPlain || !this.#canWalkOn(slice.outCount, index === kernels.length - 1)) {
          return this.#leave(slice, index, answer);
        }
        slice.swap();
      }
      if (slice.count === 0) return true;
    }
    const { items, count } = slice;
    for (let i = 0; i < count && !this.#isAborted(); i++) {
      if (this.#writeOne(items[i])) continue;
      slice.items = items.slice(i, count);
      slice.count -= i;
      return this.#leave(slice, index);
    }
    return true;
  }

  /** Whether chunks that one was made into walk on together, and stage by stage, with an engine, too. */
  #canWalkOn(count: number, isLast: boolean): boolean {
    if (count <= 1 || isLast) return true;
    return !this.turn.isOver(count) && count <= this.turn.sliceSize;
  }

  /** Hands a chunk to the sink, and tells whether it has taken it. */
  #writeOne(chunk: unknown): boolean {
    const write = this.#write;
    try {
      const result = write(chunk);
      if (result === undefined || !isPromiseLike(result)) {
        this.chunksWritten++;
        return true;
      }
      this.answer = gives(Promise.resolve(result));
    } catch (reason) {
      this.answer = throws(reason);
    }
    return false;
  }

  /** Leaves what is under way to an engine: what the stage at `index` answered of the slice, or what it has failed with. */
  #leave(slice: Slice, index: number, ran?: number, failure?: Failure): false {
    this.entry = { slice, index, ran, failure };
    return false;
  }
}

// Apart from the loops: what a function keeps is made in each turn of a loop, whether it is called or not.
function gives<T>(value: T): () => T {
  return () => value;
}

function throws(reason: unknown): () => never {
  return () => {
    throw reason;
  };
}

function load(chunk: unknown): Slice {
  const slice = new Slice();
  slice.load(chunk);
  return slice;
}
