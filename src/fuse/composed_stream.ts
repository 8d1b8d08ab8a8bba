import { fuseStreams } from "./fuse_streams.ts";

// Enough for a pipe or a default reader that is ready at once to ask for more.
const microtasksBeforeTimer = 50;
const longestDelayMs = 20;

function ignore(): void {}

/** The stages of a composition in one transform stream: between a pair of streams of their own. */
export class ComposedStream {
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #highWaterMark: number;
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  readonly #handedOn: Promise<void>;
  #failure: { readonly reason: unknown } | undefined;
  #isFlushing = false;
  #isStopped = false;
  #isDoubtful = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Looks at once whether what is waited for is there. */
  #look: () => void = ignore;

  /** Calls each stage's `start`; `ended` is called once, when no method can mean this stream any more. */
  constructor(
    stages: readonly unknown[],
    controller: TransformStreamDefaultController<unknown>,
    ended: () => void,
  ) {
    const { readable, writable } = fuseStreams(stages, {});
    this.#controller = controller;
    // Nothing is queued yet, so what is desired is the whole high-water mark.
    this.#highWaterMark = controller.desiredSize ?? 0;
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(ignore);
    this.#writer.ready.catch(ignore);
    this.#reader.closed.catch(ignore);
    this.#handedOn = this.#handOn().finally(ended);
  }

  /** Answers when the first stage has taken the chunk; what fails is the stages' failure. */
  transform(chunk: unknown): Promise<void> {
    return this.#writer.write(chunk).catch(() => this.#outcome());
  }

  /** Answers when all is handed on. */
  flush(): Promise<void> {
    this.#isFlushing = true;
    return this.#writer.close().catch(ignore).then(() => this.#outcome());
  }

  /** Cancels each stage. */
  async cancel(reason: unknown): Promise<void> {
    this.#isStopped = true;
    this.#look();
    // A stream whose readable side was cancelled desires nothing; otherwise it was aborted.
    if (this.#controller.desiredSize === 0) return await this.#reader.cancel(reason);
    await this.#writer.abort(reason).catch(ignore);
    await this.#handedOn;
    // What a stage's own `cancel` throws takes the reason's place.
    if (this.#failure !== undefined && this.#failure.reason !== reason) throw this.#failure.reason;
  }

  /** Makes it hand on the next chunk at once, to learn whether the stream still takes any. */
  doubt(): void {
    this.#isDoubtful = true;
    this.#look();
  }

  /** How the stages ended; an early end by `terminate` is none of a chunk's failures. */
  async #outcome(): Promise<void> {
    await this.#handedOn;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Hands on what comes out of the stages, until they end or fail. */
  async #handOn(): Promise<void> {
    try {
      while (true) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        if (!this.#hasRoom()) await this.#wait(() => this.#hasRoom());
        if (!this.#isStopped) this.#enqueue(value);
      }
      if (!this.#isStopped && !this.#isFlushing) this.#controller.terminate();
    } catch (reason) {
      // An error drops what the queue holds, so it waits until that is read.
      if (!this.#isEmpty()) await this.#wait(() => this.#isEmpty());
      this.#failure = { reason };
      if (!this.#isStopped) this.#controller.error(reason);
    }
  }

  #enqueue(chunk: unknown): void {
    this.#isDoubtful = false;
    try {
      this.#controller.enqueue(chunk);
    } catch (reason) {
      this.#reader.cancel(reason).catch(ignore);
      if (this.#controller.desiredSize === null) throw reason;
      // A stream that was cancelled without our knowing still has a desired size; it has not failed.
      this.#isStopped = true;
    }
  }

  #hasRoom(): boolean {
    const { desiredSize } = this.#controller;
    // While it flushes no `cancel` is called: one chunk too many finds out.
    return this.#isEmpty() || desiredSize! > 0 || (this.#isFlushing && desiredSize === 0);
  }

  /** Whether the queue is empty, as far as the stream is still there. */
  #isEmpty(): boolean {
    const { desiredSize } = this.#controller;
    return this.#isStopped || this.#isDoubtful || desiredSize === null ||
      desiredSize >= this.#highWaterMark;
  }

  /** Looks again and again, since the standard gives a transformer no signal of room. */
  #wait(isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let looks = 0;
      const look = (): void => {
        clearTimeout(this.#timer);
        if (isOver()) resolve();
        else if (++looks < microtasksBeforeTimer) queueMicrotask(look);
        else {this.#timer = setTimeout(
            look,
            Math.min(looks - microtasksBeforeTimer, longestDelayMs),
          );}
      };
      this.#look = look;
      look();
    });
  }
}
