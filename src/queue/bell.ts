import { createDeferred, type Deferred } from "../deferred.ts";

/** Something to wait at until anything has changed. */
export class Bell {
  #waiting: Deferred<void> | undefined;

  /** Fulfils at the next ring. */
  heard(): Promise<void> {
    return (this.#waiting ??= createDeferred<void>()).promise;
  }

  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }
}
