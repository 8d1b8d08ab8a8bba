/** The timer of a stage that holds bytes or text: has them passed on, whether there is room or not, which is one chunk. */
export class HoldTimer {
  readonly #controller: TransformStreamDefaultController;
  readonly #maxWaitMs: number | undefined;
  readonly #emit: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    controller: TransformStreamDefaultController,
    maxWaitMs: number | undefined,
    emit: () => void,
  ) {
    this.#controller = controller;
    this.#maxWaitMs = maxWaitMs;
    this.#emit = emit;
  }

  /** Runs while something is held, from its first chunk on. */
  setWhile(isHeld: boolean): void {
    if (!isHeld) this.stop();
    else if (this.#maxWaitMs !== undefined) {
      this.#timer ??= setTimeout(this.#onTimer, this.#maxWaitMs);
    }
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    try {
      this.#emit();
    } catch (error) {
      // A timer has no caller to throw to, so the stream fails.
      this.#controller.error(error);
    }
  };
}
