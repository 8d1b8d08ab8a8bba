import type { Engine } from "../engine/engine.ts";
import type { Failure, Input } from "../engine/ports.ts";

// As a built-in would, whatever takes its place later.
const NativeWritableStream = WritableStream;

/** The writable side of a fused chain: one chunk at a time is offered, and taken when the chain has room. */
export class WritableEnd implements Input {
  #engine!: Engine;
  #controller!: WritableStreamDefaultController;
  #chunk: unknown;
  #hasChunk = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  /** Makes the stream; it is started when `started` is fulfilled. */
  open(
    engine: Engine,
    strategy: QueuingStrategy<unknown> | undefined,
    started: Promise<void>,
  ): WritableStream<unknown> {
    this.#engine = engine;
    return new NativeWritableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
        // A write that waits for room would keep an abort waiting: the stream lets it settle first.
        controller.signal.addEventListener("abort", () => {
          engine.requestAbort(controller.signal.reason);
          if (this.#hasChunk) this.#refuse(controller.signal.reason);
        });
        return started;
      },
      write: (chunk) => this.#write(chunk),
      close: () => engine.end(),
      abort: (reason) => engine.abort(reason),
    }, strategy);
  }

  take(): boolean {
    if (!this.#hasChunk) return false;
    const chunk = this.#chunk;
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#engine.feed(chunk);
    if (this.#isTaken()) this.settled();
    return true;
  }

  settled(): void {
    const waiting = this.#waiting;
    if (this.#hasChunk || waiting === undefined) return;
    this.#waiting = undefined;
    const { thrown } = this.#engine.first;
    if (thrown === undefined) waiting.resolve();
    else waiting.reject(thrown.reason);
  }

  stop(reason: unknown): void {
    this.#controller.error(reason);
    if (this.#hasChunk) this.#refuse(reason);
    // What its kernel had more to give is dropped, and so done.
    else if (!this.#engine.first.isBusy) this.settled();
  }

  #write(chunk: unknown): Promise<void> | undefined {
    const { first } = this.#engine;
    if (first.writeFailure !== undefined) return Promise.reject(first.writeFailure.reason);
    this.#chunk = chunk;
    this.#hasChunk = true;
    this.#engine.run();
    if (!this.#hasChunk && this.#isTaken()) {
      return first.thrown === undefined ? undefined : Promise.reject(first.thrown.reason);
    }
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    const failure = this.#failure;
    if (this.#hasChunk && failure !== undefined) this.#refuse(failure.reason);
    return promise;
  }

  /** What the writable side has failed with. */
  get #failure(): Failure | undefined {
    return this.#engine.first.writeFailure;
  }

  /** Whether the first stage is done with the chunk. */
  #isTaken(): boolean {
    const { first } = this.#engine;
    return !first.isBusy && !first.hasMore;
  }

  #refuse(reason: unknown): void {
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }
}
