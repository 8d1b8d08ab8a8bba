import { throwTypeError } from "../errors.ts";
import { mayRetry, type RetryPolicy, waitMsAfter } from "../retry_policy.ts";
import { type Counts, NONE } from "./kernel.ts";

/** What is done about a chunk that failed. */
export interface ChunkPlan extends RetryPolicy {
  readonly onError: ((reason: unknown, chunk: unknown, index: number) => unknown) | undefined;
}

/** What became of a chunk: another one, or `NONE`. In a box, since a chunk may be a promise. */
export interface Outcome {
  readonly result: unknown;
}

const nothing: Outcome = { result: NONE };

/** Tries chunks again and says what goes on in their place, in one stream. */
export class ChunkPolicy {
  readonly #plan: ChunkPlan;
  /** Each ends a wait. */
  readonly #waits = new Set<() => void>();
  #isStopped = false;
  #skipped = 0;
  #retried = 0;

  constructor(plan: ChunkPlan) {
    this.#plan = plan;
  }

  /** Whether anything but failing can be done about a failure. */
  get canHelp(): boolean {
    const { attempts, onError } = this.#plan;
    return !this.#isStopped && (attempts > 1 || onError !== undefined);
  }

  /** A chunk has failed: calls `tryAgain` as long as that may help, and then asks `onError`. */
  async recover(
    reason: unknown,
    chunk: unknown,
    index: number,
    tryAgain: () => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    let failures = 1;
    while (!this.#isStopped && await mayRetry(this.#plan, failures, reason)) {
      if (failures === 1) this.#retried++;
      await this.#wait(waitMsAfter(this.#plan, failures));
      if (this.#isStopped) return nothing;
      try {
        return await tryAgain();
      } catch (error) {
        reason = error;
        failures++;
      }
    }
    if (this.#isStopped) throw reason;
    const answer = await this.#plan.onError?.(reason, chunk, index) ?? "fail";
    if (answer === "fail") throw reason;
    if (answer === "skip") {
      this.#skipped++;
      return nothing;
    }
    if (typeof answer !== "object" || !("chunk" in answer)) {
      throwTypeError("run attempt", "what onError answers", '"fail", "skip" or { chunk }', answer);
    }
    return { result: answer.chunk };
  }

  /** Ends all waits: the stream was cancelled or aborted. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#waits) end();
  }

  addCounts(counts: Counts): void {
    counts.chunksSkipped += this.#skipped;
    counts.chunksRetried += this.#retried;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waits.add(end);
    });
  }
}
