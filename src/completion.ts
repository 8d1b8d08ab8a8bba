type OnFulfilled = ((value: void) => unknown) | null | undefined;
type OnRejected = ((reason: unknown) => unknown) | null | undefined;

/**
 * How a write, a flush or a cancel ends. What waits for it is called in the step in which it settles: a native stream
 * that is given it settles its own promise then, where a promise of ours would make it wait for some microtasks more.
 */
export class Completion implements PromiseLike<void> {
  #state: "pending" | "fulfilled" | "rejected" = "pending";
  #reason: unknown;
  #onFulfilled: OnFulfilled;
  #onRejected: OnRejected;
  /** Others that wait: a close, an abort and a cancel may share one. */
  #others: [OnFulfilled, OnRejected][] | undefined;

  /** One that is fulfilled. */
  static fulfilled(): Completion {
    const completion = new Completion();
    completion.resolve();
    return completion;
  }

  /** One that is rejected; that it is not looked at is no fault. */
  static rejected(reason: unknown): Completion {
    const completion = new Completion();
    completion.reject(reason);
    return completion;
  }

  get isPending(): boolean {
    return this.#state === "pending";
  }

  then(onFulfilled?: OnFulfilled, onRejected?: OnRejected): never {
    if (this.#state === "fulfilled") onFulfilled?.();
    else if (this.#state === "rejected") onRejected?.(this.#reason);
    else if (this.#onFulfilled === undefined) {
      this.#onFulfilled = onFulfilled;
      this.#onRejected = onRejected;
    } else (this.#others ??= []).push([onFulfilled, onRejected]);
    // What is waited for one by one is not chained.
    return undefined as never;
  }

  resolve(): void {
    if (this.#state !== "pending") return;
    this.#state = "fulfilled";
    this.#onFulfilled?.();
    this.#others?.forEach(([onFulfilled]) => onFulfilled?.());
  }

  reject(reason: unknown): void {
    if (this.#state !== "pending") return;
    this.#state = "rejected";
    this.#reason = reason;
    this.#onRejected?.(reason);
    this.#others?.forEach(([, onRejected]) => onRejected?.(reason));
  }

  /** Settles as `other` does, in the same step. */
  follow(other: Completion): void {
    other.then(() => this.resolve(), (reason) => this.reject(reason));
  }
}
