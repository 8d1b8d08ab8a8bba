import { createDeferred, type Deferred } from "../deferred.ts";
import type { Engine } from "../engine/engine.ts";
import type { Failure, Input } from "../engine/ports.ts";
import { isPromiseLike } from "../is_promise_like.ts";

// As a built-in would, whatever takes its place later.
const NativeWritableStream = WritableStream;
// A promise, as a `TransformStream` gives its writable side: runtimes take a moment longer over one than over nothing.
const atOnce = Promise.resolve();

/** The writable side of a fused chain: one chunk at a time is offered, and taken when the chain has room. */
export class WritableEnd implements Input, UnderlyingSink<unknown> {
  #engine!: Engine;
  #controller!: WritableStreamDefaultController;
  #chunk: unknown;
  #hasChunk = false;
  #waiting: Deferred<void> | undefined;
  #isWatching = false;
  /** Natively an abort waits for a close that is under way, and has no say in how it ends. */
  #isClosing = false;
  /** An abort came beside a cancel and a write: natively it waits for both, and has no say in how they end. */
  #isAbortLate = false;

  /** Makes the stream, which starts the engine; throws what its `start` throws. */
  open(engine: Engine, strategy: QueuingStrategy<unknown> | undefined): WritableStream<unknown> {
    this.#engine = engine;
    return new NativeWritableStream<unknown>(this, strategy);
  }

  start(controller: WritableStreamDefaultController): PromiseLike<void> {
    this.#controller = controller;
    const engine = this.#engine;
    const started = engine.start();
    if (!isPromiseLike(started)) return atOnce;
    this.#watchAbort();
    // That it has failed, the stream learns by its controller, unless it has ended meanwhile.
    return started.then(() => {}, () => {});
  }

  write(chunk: unknown): Promise<void> | undefined {
    const { first } = this.#engine;
    if (first.writeFailure !== undefined) return Promise.reject(first.writeFailure.reason);
    this.#chunk = chunk;
    this.#hasChunk = true;
    this.#engine.run();
    if (!this.#hasChunk && this.#isTaken()) {
      return first.thrown === undefined ? undefined : Promise.reject(first.thrown.reason);
    }
    this.#watchAbort();
    this.#waiting = createDeferred();
    const { promise } = this.#waiting;
    const failure = this.#failure;
    if (this.#hasChunk && failure !== undefined) this.#refuse(failure.reason);
    return promise;
  }

  close(): Promise<void> {
    this.#isClosing = true;
    return this.#engine.end();
  }

  abort(reason: unknown): Promise<void> {
    if (!this.#isAbortLate) this.#engine.requestAbort(reason);
    return this.#engine.abort(reason);
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

  /** Something is under way that an abort would wait for: it is informed first. Most streams do not need it. */
  #watchAbort(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { signal } = this.#controller;
    const onAbort = (): void => {
      if (this.#isClosing) return;
      const { first } = this.#engine;
      this.#isAbortLate = first.isCancelling && this.#hasChunk;
      // Beside a cancel it counts only once nothing is under way: then `abort` is called.
      if (!first.isCancelling) this.#engine.requestAbort(signal.reason);
      // A write that waits for room would keep the abort waiting: the stream lets it settle first.
      if (this.#hasChunk) this.#refuse(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
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
