import { queueMicrotask } from "../queue_microtask.ts";

/** Of a controller that says when there may be room: has a function called, once. */
export const whenRoom: unique symbol = Symbol("whenRoom");

/** Of a controller that says when there may be room: whether it gives nothing more. */
export const isClosed: unique symbol = Symbol("isClosed");

/** A controller that says when its queue may have room again, as the engine's do; the standard's cannot. */
export interface TellsRoom {
  readonly [whenRoom]?: ((look: () => void) => void) | undefined;
  readonly [isClosed]?: boolean | undefined;
}

// Enough for a pipe or a default reader that is ready at once to ask for more.
const microtasksBeforeTimer = 50;
// Reached after hours: the delay grows with the root of the time.
const longestDelayMs = 1000;

/** The room in the queue of a transform stream. The engine says when there is some; a native stream has to be asked. */
export class Demand {
  readonly #controller: TransformStreamDefaultController<unknown> & TellsRoom;
  readonly #highWaterMark: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #look: (() => void) | undefined;
  #later: (() => void) | undefined;
  #isAsking = false;
  #isUnheard = false;
  #shared: Promise<void> | undefined;

  /** To be made by `start`: nothing is queued yet, so what is desired is the whole high-water mark. */
  constructor(controller: TransformStreamDefaultController<unknown>) {
    this.#controller = controller;
    this.#highWaterMark = controller.desiredSize ?? 0;
  }

  /** Whether the queue is empty. A stream that failed or is closed says so by what `enqueue` throws. */
  isWhole(): boolean {
    const { desiredSize, [isClosed]: hasClosed } = this.#controller;
    return desiredSize === null || desiredSize >= this.#highWaterMark || hasClosed === true;
  }

  /** Whether the queue takes a chunk. */
  isThere(): boolean {
    if (this.isWhole()) return true;
    const desiredSize = this.#controller.desiredSize!;
    return desiredSize > 0 || (desiredSize === 0 && this.#isUnheard && !this.isOfEngine);
  }

  /** Whether the stream keeps what it holds when it fails, and says when it has room: it is the engine's. */
  get isOfEngine(): boolean {
    return this.#controller[whenRoom] !== undefined;
  }

  /** Whether no method is called if a native stream is cancelled, as while it flushes: one chunk too many finds out. */
  get isUnheard(): boolean {
    return this.#isUnheard;
  }

  /** It is so from now on, for what waits already too. */
  hearNothing(): void {
    this.#isUnheard = true;
    this.askNow();
  }

  /** Waits until something is so: asks as often as there may be room, of a native stream ever less often. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let looks = 0;
      const look = this.#look = (): void => {
        clearTimeout(this.#timer);
        if (isSo()) {
          this.#look = undefined;
          resolve();
        } else if (this.isOfEngine) this.#controller[whenRoom]!(look);
        else if (++looks < microtasksBeforeTimer) queueMicrotask(look);
        else {
          const delayMs = Math.min((looks - microtasksBeforeTimer) >> 2, longestDelayMs);
          this.#timer = setTimeout(look, delayMs);
        }
      };
      look();
    });
  }

  /** Calls back once, when there may be room, of a native stream after `pollMs`; one callback at a time. */
  later(callback: () => void, pollMs: number): void {
    if (this.#later !== undefined) return;
    this.#later = callback;
    if (!this.isOfEngine) this.#timer = setTimeout(this.#callLater, pollMs);
    else if (!this.#isAsking) this.#controller[whenRoom]!(this.#callLater);
    this.#isAsking = true;
  }

  /** Does not call back any more. */
  stopLater(): void {
    if (this.#later === undefined) return;
    this.#later = undefined;
    clearTimeout(this.#timer);
  }

  readonly #callLater = (): void => {
    this.#isAsking = false;
    const callback = this.#later;
    this.#later = undefined;
    callback?.();
  };

  /** As `until`, for any number that wait for the same: one asks for all, and each must ask again after that. */
  share(isSo: () => boolean): Promise<void> {
    return this.#shared ??= this.until(isSo).then(() => void (this.#shared = undefined));
  }

  /** Asks at once, for something that is waited for. */
  askNow(): void {
    this.#look?.();
  }
}
