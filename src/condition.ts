import { createDeferred, type Deferred } from "./deferred.ts";

/** Something to wait at until anything has changed. */
export class Condition {
  #waiting: Deferred<void> | undefined;

  /** Fulfils at the next `notifyAll`. */
  wait(): Promise<void> {
    return (this.#waiting ??= createDeferred<void>()).promise;
  }

  /** Fulfils once something is so: asks now, and after each `notifyAll`. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.wait();
  }

  notifyAll(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }
}
