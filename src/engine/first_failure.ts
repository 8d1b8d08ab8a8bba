import type { Failure } from "./ports.ts";
import type { RunFailure } from "./run_failure.ts";

/**
 * Who wins: the first failure in the order of events is what a run fails with, even if something fails after it. An event is
 * that a part fails its stream: a method of it throws, its promise is rejected, or it calls `error`.
 */
export class FirstFailure {
  /** Not a closure: one kept for each run makes V8 take what short runs allocate for long-lived. */
  watcher: { noteFirst(): void } | undefined = undefined;
  readonly #whole: FirstFailure | undefined;
  #failure: Failure | undefined = undefined;

  /** `whole` is that of the whole run, if this is of a part of it. */
  constructor(whole?: FirstFailure) {
    this.#whole = whole;
  }

  /** What has failed first, if anything has. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** A part has failed, `at` a place if it was not the signal. Answers the failure that counts. */
  note(reason: unknown, at?: RunFailure): Failure {
    return this.#keep(this.#whole?.note(reason, at) ?? { failed: true, reason, at });
  }

  /** This part of the run has ended for a reason that others will learn of themselves. */
  noteHere(reason: unknown): Failure {
    return this.#keep({ failed: true, reason });
  }

  /** The one exception: a write, or a call of `parallel`, has failed that was under way before something else failed. */
  noteEarlier(reason: unknown, at?: RunFailure): void {
    this.#whole?.noteEarlier(reason, at);
    // A stream that was aborted for the failure fails with it, too.
    if (this.#failure !== undefined && Object.is(this.#failure.reason, reason)) return;
    this.#failure = { failed: true, reason, at };
  }

  /** What failed came after an early end, in the order of the chunks. */
  forget(): void {
    this.#failure = undefined;
  }

  #keep(failure: Failure): Failure {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = failure;
    this.watcher?.noteFirst();
    return failure;
  }
}
