import { Demand } from "../kernels/demand.ts";

/** How long to wait before looking for room again in a native stream, which gives a transformer no signal of it. */
const pollMs = 10;

/** The batch that one stream is filling. */
export class OpenBatch<T> {
  readonly #controller: TransformStreamDefaultController<T[]>;
  readonly #demand: Demand;
  readonly #maxWaitMs: number | undefined;
  #chunks: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;
  /** How many bytes it has; counted only where that matters. */
  byteLength = 0;

  /** To be made by `start`. */
  constructor(
    controller: TransformStreamDefaultController<T[]>,
    maxWaitMs: number | undefined,
  ) {
    this.#controller = controller;
    this.#demand = new Demand(controller);
    this.#maxWaitMs = maxWaitMs;
  }

  get length(): number {
    return this.#chunks.length;
  }

  add(chunk: T, byteLength: number): void {
    this.byteLength += byteLength;
    if (this.#chunks.push(chunk) === 1 && this.#maxWaitMs !== undefined) {
      this.#timer = setTimeout(this.#onTimer, this.#maxWaitMs);
    }
  }

  /** Passes it on, if there is anything in it, and begins the next. */
  emit(): void {
    this.#stopTimer();
    this.byteLength = 0;
    const chunks = this.#chunks;
    if (chunks.length === 0) return;
    this.#chunks = [];
    this.#controller.enqueue(chunks);
  }

  /** Passes it on if it has waited long enough and there is room: until then it goes on filling. */
  emitIfDue(): void {
    if (this.#isDue && this.#demand.isThere()) this.emit();
  }

  /** Forgets it. */
  drop(): void {
    this.#stopTimer();
    this.#chunks = [];
  }

  readonly #onTimer = (): void => {
    this.#isDue = true;
    try {
      this.emitIfDue();
    } catch (error) {
      // A timer has no caller to throw to, so the stream fails.
      this.#controller.error(error);
    }
    if (this.#isDue) this.#demand.later(this.#onTimer, pollMs);
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#demand.stopLater();
    this.#isDue = false;
  }
}
