/** Something to wait at until anything has changed. */
export class Bell {
  #waiting: PromiseWithResolvers<void> | undefined;

  /** Fulfils at the next ring. */
  heard(): Promise<void> {
    return (this.#waiting ??= Promise.withResolvers<void>()).promise;
  }

  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }
}
