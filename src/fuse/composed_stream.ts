import type { Operation } from "../kernels/operation.ts";
import { Demand } from "../kernels/demand.ts";
import { FirstFailure } from "../engine/first_failure.ts";
import type { Failure } from "../engine/ports.ts";
import { fuseStreams } from "./fuse_streams.ts";

function ignore(): void {}

/** What was under way and has failed after the input. Any other failure is as the standard has it. */
class FailureUnderWay extends FirstFailure {
  earlier: { readonly reason: unknown } | undefined;

  override note(reason: unknown): Failure {
    return { failed: true, reason };
  }

  override noteEarlier(reason: unknown): void {
    this.earlier ??= { reason };
  }
}

/** The stages of a composition in one transform stream: between a pair of streams of their own. */
export class ComposedStream implements Operation<unknown> {
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #demand: Demand;
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  readonly ended: Promise<void>;
  #failure: { readonly reason: unknown } | undefined;
  readonly #underWay = new FailureUnderWay();
  #isFlushing = false;
  #isDraining = false;
  #hasDrained = false;
  #isStopped = false;
  #isDoubtful = false;

  /** Calls each stage's `start`. */
  constructor(
    stages: readonly unknown[],
    controller: TransformStreamDefaultController<unknown>,
    name: string,
  ) {
    const { readable, writable } = fuseStreams(stages, {}, name, this.#underWay);
    this.#controller = controller;
    this.#demand = new Demand(controller);
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(ignore);
    this.#writer.ready.catch(ignore);
    this.#reader.closed.catch(ignore);
    this.ended = this.#handOn();
  }

  /** Answers when the first stage has taken the chunk; what fails is the stages' failure. */
  transform(chunk: unknown): Promise<void> {
    return this.#writer.write(chunk).catch(() => this.#outcome());
  }

  /** Answers when all is passed on. */
  flush(): Promise<void> {
    this.#isFlushing = true;
    this.hearNothing();
    return this.#writer.close().catch(ignore).then(() => this.#outcome());
  }

  /** Passes on what the stages have begun, as their input has failed; fails with what does so of that. */
  async drain(reason: unknown): Promise<void> {
    // One that has failed by itself says so.
    if (this.#writer.desiredSize === null) return await this.ended;
    this.#isDraining = true;
    await this.#writer.abort(reason).catch(ignore);
    await this.ended;
    this.#hasDrained = true;
    if (this.#underWay.earlier !== undefined) throw this.#underWay.earlier.reason;
  }

  /** Cancels each stage. */
  async cancel(reason: unknown): Promise<void> {
    this.#isStopped = true;
    this.#demand.askNow();
    // A stream whose readable side was cancelled desires nothing; otherwise it was aborted.
    if (this.#controller.desiredSize === 0 && !this.#hasDrained) {
      return await this.#reader.cancel(reason);
    }
    await this.#writer.abort(reason).catch(ignore);
    await this.ended;
    // What a stage's own `cancel` throws takes the reason's place.
    if (this.#failure !== undefined && this.#failure.reason !== reason) throw this.#failure.reason;
  }

  hearNothing(): void {
    this.#demand.hearNothing();
  }

  /** Makes it pass on the next chunk at once, to learn whether the stream still takes any. */
  doubt(): void {
    this.#isDoubtful = true;
    this.#demand.askNow();
  }

  /** How the stages ended; an early end by `terminate` is none of a chunk's failures. */
  async #outcome(): Promise<void> {
    await this.ended;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Passes on what comes out of the stages, until they end or fail. */
  async #handOn(): Promise<void> {
    try {
      while (true) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        if (!this.#hasRoom()) await this.#demand.until(() => this.#hasRoom());
        if (!this.#isStopped) this.#enqueue(value);
      }
      if (!this.#isStopped && !this.#isFlushing) this.#controller.terminate();
    } catch (reason) {
      // A native error drops what the queue holds, so it waits until that is read.
      const isKept = this.#isDraining || this.#demand.isOfEngine;
      if (!isKept && !this.#isEmpty()) await this.#demand.until(() => this.#isEmpty());
      this.#failure = { reason };
      if (!this.#isStopped && !this.#isDraining) this.#controller.error(reason);
    }
  }

  #enqueue(chunk: unknown): void {
    this.#isDoubtful = false;
    try {
      this.#controller.enqueue(chunk);
    } catch (reason) {
      // It was cancelled without our knowing, or cannot measure the chunk and has failed.
      this.#reader.cancel(reason).catch(ignore);
      this.#isStopped = true;
    }
  }

  #hasRoom(): boolean {
    return this.#isEmpty() || this.#demand.isThere();
  }

  /** Whether the queue is empty, as far as the stream is still there. */
  #isEmpty(): boolean {
    return this.#isStopped || this.#isDoubtful || this.#demand.isWhole();
  }
}
