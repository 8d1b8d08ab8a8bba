/** Reads how full a stage's outgoing queue is off its controller's `desiredSize`. */
export class QueueGauge {
  #controller: { readonly desiredSize: number | null } | undefined;
  #highWaterMark = 0;
  #isClosing = false;
  #hadRoom = false;
  #isCancelled = false;

  /** The high-water mark, known once the stream has started. */
  get highWaterMark(): number | undefined {
    return this.#controller === undefined ? undefined : this.#highWaterMark;
  }

  /** Whether it is closed, or will be once it is empty. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** To be called by `start`, while the queue is empty and has room for all it ever will. */
  open(controller: { readonly desiredSize: number | null }): void {
    this.#controller = controller;
    // What just starts has not failed, so it has one.
    this.#highWaterMark = controller.desiredSize!;
  }

  /** To be called before the queue is closed. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#hadRoom = (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** To be called when the queue has been cancelled, which empties it; it says 0 then, as when it is full. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** The sum of the sizes in the queue; 0 where the mark is infinite, which hides it. */
  total(): number {
    const controller = this.#controller;
    if (controller === undefined || this.#isCancelled || this.#highWaterMark === Infinity) return 0;
    const { desiredSize } = controller;
    if (desiredSize === null) return 0;
    if (this.#isClosing) {
      // An empty queue that was closed says 0, too; but a queue that had room does not fill up any more.
      if (desiredSize === 0 && this.#hadRoom) return 0;
      this.#hadRoom = desiredSize > 0;
    }
    const total = this.#highWaterMark - desiredSize;
    return total > 0 ? total : 0;
  }
}
