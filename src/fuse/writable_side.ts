import { createDeferred, type Deferred } from "../deferred.ts";
import { Completion } from "../completion.ts";
import type { Engine } from "../engine/engine.ts";
import type { Failure, Input } from "../engine/ports.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import type { LoopTurn } from "./loop_turn.ts";
import { queueMicrotask } from "../queue_microtask.ts";

// As a built-in would, whatever takes its place later.
const NativeWritableStream = WritableStream;

/** The writable side of a fused chain: one chunk at a time is offered, and taken when the chain has room. */
export class WritableSide implements Input, UnderlyingSink<unknown> {
  readonly #turn: LoopTurn;
  #engine!: Engine;
  #started!: Promise<void>;
  #controller!: WritableStreamDefaultController;
  #chunk: unknown;
  #hasChunk = false;
  #isFeeding = false;
  #isFailing = false;
  /** How the write that is under way will end. */
  #written: Deferred<void> | undefined;
  #isPaused = false;
  #isWatching = false;
  #startCount = 0;
  #failure: Failure | undefined;

  constructor(turn: LoopTurn) {
    this.#turn = turn;
  }

  /** Makes the stream, which takes chunks once the stages have started. */
  open(
    engine: Engine,
    strategy: QueuingStrategy<unknown> | undefined,
    started: Promise<void>,
  ): WritableStream<unknown> {
    this.#engine = engine;
    this.#started = started;
    return new NativeWritableStream<unknown>(this, strategy);
  }

  start(controller: WritableStreamDefaultController): Promise<void> {
    this.#controller = controller;
    void this.#started.then(this.#countStart, this.#countStart);
    return this.#started;
  }

  /** The stream has started three microtasks after its start has settled. */
  readonly #countStart = (): void => {
    if (++this.#startCount < 3) queueMicrotask(this.#countStart);
  };

  write(chunk: unknown): PromiseLike<void> | undefined {
    const { first } = this.#engine;
    if (first.writeFailure !== undefined) return Completion.rejected(first.writeFailure.reason);
    this.#chunk = chunk;
    this.#hasChunk = true;
    if (this.#turn.isOver()) this.#pause();
    else if (this.#engine.hasWork()) this.#engine.run();
    if (!this.#hasChunk && this.#isTaken()) {
      return first.thrown === undefined ? undefined : Completion.rejected(first.thrown.reason);
    }
    this.#watchAbort();
    const written = this.#written = createDeferred<void>();
    if (this.#hasChunk && first.writeFailure !== undefined) this.#refuse();
    return written.promise;
  }

  close(): PromiseLike<void> {
    return this.#engine.end();
  }

  /** Called once nothing is under way. */
  abort(reason: unknown): PromiseLike<void> {
    this.#failure ??= { failed: true, reason };
    this.#startCount = 3;
    return this.#engine.abort(reason);
  }

  get errored(): Failure | undefined {
    if (this.#isFailing) return undefined;
    return this.#written === undefined && this.#startCount >= 3 ? this.#failure : undefined;
  }

  /** A chunk waits for room. */
  get isWaiting(): boolean {
    return this.#hasChunk;
  }

  take(): boolean {
    if (!this.#hasChunk || this.#isPaused) return false;
    const chunk = this.#chunk;
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#isFeeding = true;
    this.#engine.feed(chunk);
    this.#isFeeding = false;
    if (this.#isTaken()) this.handleSettled();
    return true;
  }

  handleSettled(): void {
    const written = this.#written;
    if (this.#hasChunk || written === undefined) return;
    this.#written = undefined;
    const { thrown } = this.#engine.first;
    if (thrown === undefined) written.resolve(undefined);
    else this.#failWrite(written, thrown.reason);
  }

  #failWrite(written: Deferred<void>, reason: unknown): void {
    // Until the stream has noticed that, it is under way.
    this.#isFailing = true;
    written.reject(reason);
    queueMicrotask(() => this.#isFailing = false);
  }

  stop(reason: unknown): void {
    // An abort that came before is what the stream fails with.
    if (!this.#controller.signal.aborted) this.#failure ??= { failed: true, reason };
    this.#controller.error(reason);
    if (this.#hasChunk) this.#refuse();
    // What its kernel had more to give is dropped, and so done.
    else if (!this.#isFeeding && !this.#engine.first.isBusy) this.handleSettled();
  }

  /** Lets the event loop have its turn before the chunk goes on. */
  #pause(): void {
    this.#isPaused = true;
    yieldTurn(() => {
      this.#isPaused = false;
      this.#engine.resume();
    });
  }

  /** An abort ends the wait for room: most streams need not know of one before `abort` is called. */
  #watchAbort(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#controller.signal.addEventListener("abort", () => {
      if (!this.#hasChunk) return;
      // Nothing takes it from here on.
      this.#isPaused = true;
      queueMicrotask(() => {
        // A cancel that is under way will end it, too.
        if (this.#hasChunk && this.#engine.first.finish === undefined) {
          this.#failWrite(this.#dropChunk(), this.#reason);
        }
      });
    });
  }

  /** Whether the first stage is done with the chunk. */
  #isTaken(): boolean {
    const { first } = this.#engine;
    return !first.isBusy && !first.hasMore;
  }

  /** The chunk that waits is not taken; the stream is informed a step later, as natively by what it waits for. */
  #refuse(): void {
    const written = this.#dropChunk();
    queueMicrotask(() => this.#failWrite(written, this.#reason));
  }

  /** From here on nothing else settles its write, which is under way until it fails. */
  #dropChunk(): Deferred<void> {
    const written = this.#written!;
    this.#written = this.#chunk = undefined;
    this.#hasChunk = false;
    this.#isFailing = true;
    return written;
  }

  get #reason(): unknown {
    return (this.#failure ?? this.#controller.signal).reason;
  }
}
