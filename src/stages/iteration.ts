import { throwTypeError } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";

// Enough for a pipe or a default reader that is ready at once to ask for more.
const microtasksBeforeTimer = 50;

/** Enqueues the chunks of one iterable while there is room in the queue. */
export class Iteration<O> {
  readonly #iterator: Iterator<O> | AsyncIterator<O>;
  readonly #isAsync: boolean;
  readonly #controller: TransformStreamDefaultController<O>;
  readonly #highWaterMark: number;
  readonly #paused: Set<Iteration<O>>;
  #end: (() => void) | undefined;
  #isDoubtful = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `paused` holds the iteration while its promise is pending. */
  constructor(
    result: unknown,
    controller: TransformStreamDefaultController<O>,
    highWaterMark: number,
    paused: Set<Iteration<O>>,
  ) {
    const opener = iterableOpener<O>(result);
    if (opener === undefined) {
      const need = "an iterable or an async iterable";
      throwTypeError("flatten a chunk", "the result of fn", need, result);
    }
    this.#iterator = opener.open();
    this.#isAsync = opener.isAsync;
    this.#controller = controller;
    this.#highWaterMark = highWaterMark;
    this.#paused = paused;
  }

  /** Enqueues all; answers with a promise only if it had to wait. */
  run(): void | Promise<void> {
    if (!this.#isAsync && this.#fill()) return;
    return new Promise<void>((resolve, reject) => {
      const settled = (): boolean => this.#paused.delete(this);
      this.#paused.add(this);
      this.#end = resolve;
      (this.#isAsync ? this.#drainAsync() : this.#drain()).finally(settled).then(resolve, reject);
    });
  }

  /** Ends it for good, even if the next chunk never comes, and closes the iterator. */
  stop(): unknown {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#paused.delete(this);
    this.#end?.();
    return this.#iterator.return?.();
  }

  /** Makes it offer a chunk at once, to learn whether the stream still takes any. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  #hasRoom(): boolean {
    const { desiredSize } = this.#controller;
    // A stream that failed has no desired size; `enqueue` tells so, by throwing.
    return this.#isDoubtful || desiredSize === null || desiredSize > 0 ||
      desiredSize >= this.#highWaterMark;
  }

  /** Tells whether the iterator is done; if not, the queue is full. */
  #fill(): boolean {
    const iterator = this.#iterator as Iterator<O>;
    while (this.#hasRoom()) {
      const { done, value } = iterator.next();
      if (done) return true;
      try {
        this.#enqueue(value);
      } catch (error) {
        try {
          iterator.return?.();
        } catch {
          // As in `for…of`, the first error counts.
        }
        throw error;
      }
    }
    return false;
  }

  async #drain(): Promise<void> {
    do await this.#room(); while (!this.#isStopped && !this.#fill());
  }

  async #drainAsync(): Promise<void> {
    const iterator = this.#iterator as AsyncIterator<O>;
    while (true) {
      if (!this.#hasRoom()) await this.#room();
      if (this.#isStopped) return;
      const { done, value } = await iterator.next();
      if (this.#isStopped || done) return;
      try {
        this.#enqueue(value);
      } catch (error) {
        // As in `for await`, the first error counts.
        await Promise.resolve(iterator.return?.()).catch(() => {});
        throw error;
      }
    }
  }

  #enqueue(chunk: O): void {
    this.#isDoubtful = false;
    this.#controller.enqueue(chunk);
  }

  /** Looks again and again for room, since the standard gives a transformer no signal of it. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      let looks = 0;
      const look = (): void => {
        if (this.#isStopped || this.#hasRoom()) resolve();
        else if (++looks < microtasksBeforeTimer) queueMicrotask(look);
        else this.#timer = setTimeout(look, looks === microtasksBeforeTimer ? 0 : 1);
      };
      look();
    });
  }
}
