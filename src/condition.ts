import { createDeferred, type Deferred } from "./deferred.ts";

/** Something to wait at until anything has changed. */
export class Condition {
  #waiting: Deferred<void> | undefined;

  /** Fulfils at the next `notifyAll`. */
  wait(): Promise<void> {
    return (this.#waiting ??= createDeferred<void>()).promise;
  }

  notifyAll(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }
}
