import { queueMicrotask } from "../queue_microtask.ts";

// Enough for a pipe or a default reader that is ready at once to ask for more.
const microtasksBeforeTimer = 50;
const longestDelayMs = 10;

/** The room in the queue of a native transform stream, of which the standard gives a transformer no signal. */
export class Demand {
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #highWaterMark: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #look: (() => void) | undefined;
  #shared: Promise<void> | undefined;

  /** To be made by `start`: nothing is queued yet, so what is desired is the whole high-water mark. */
  constructor(controller: TransformStreamDefaultController<unknown>) {
    this.#controller = controller;
    this.#highWaterMark = controller.desiredSize ?? 0;
  }

  /** Whether the queue is empty. A stream that failed has no desired size; `enqueue` says so, by throwing. */
  isWhole(): boolean {
    const { desiredSize } = this.#controller;
    return desiredSize === null || desiredSize >= this.#highWaterMark;
  }

  /** Whether the queue takes a chunk. */
  isThere(): boolean {
    return this.isWhole() || this.#controller.desiredSize! > 0;
  }

  /** Asks again and again, ever less often, until something is so. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let looks = 0;
      const look = this.#look = (): void => {
        clearTimeout(this.#timer);
        if (isSo()) {
          this.#look = undefined;
          resolve();
        } else if (++looks < microtasksBeforeTimer) queueMicrotask(look);
        else {
          const delayMs = Math.min((looks - microtasksBeforeTimer) >> 2, longestDelayMs);
          this.#timer = setTimeout(look, delayMs);
        }
      };
      look();
    });
  }

  /** As `until`, for any number that wait for the same: one asks for all, and each must ask again after that. */
  share(isSo: () => boolean): Promise<void> {
    return this.#shared ??= this.until(isSo).then(() => void (this.#shared = undefined));
  }

  /** Asks at once, for something that is waited for. */
  askNow(): void {
    this.#look?.();
  }
}
