import { Completion } from "../completion.ts";
import { createDeferred, type Deferred } from "../deferred.ts";
import type { Engine } from "../engine/engine.ts";
import type { Ending, Failure, Output } from "../engine/ports.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import type { LoopTurn } from "./loop_turn.ts";
import type { WritableSide } from "./writable_side.ts";
import { checkFunction } from "../errors.ts";

/** The strategy of a readable side, as its native stream is given it, and what that must be asked besides. */
class QueueStrategy implements QueuingStrategy<unknown> {
  /** A number that tells how much the queue holds, where `Infinity` would not. */
  readonly highWaterMark: number;
  readonly size: ((chunk: unknown) => number) | undefined;
  readonly #isEndless: boolean;
  /** What a chunk without a size counts, so that it is known to be there. */
  readonly #trace: number;
  /** Sums of fractions may miss zero by much less. */
  #smallestSize = 1;

  constructor({ highWaterMark = 0, size }: QueuingStrategy<unknown> = {}) {
    const mark = Number(highWaterMark);
    if (!(mark >= 0)) {
      const need = "a non-negative number";
      throw new RangeError(
        `Cannot fuse: readableStrategy.highWaterMark must be ${need}, got ${highWaterMark}`,
      );
    }
    this.#isEndless = mark === Infinity;
    this.highWaterMark = this.#isEndless ? Number.MAX_SAFE_INTEGER : mark;
    this.#trace = 2 ** (Math.ceil(Math.log2(this.highWaterMark + 1)) - 30);
    if (size === undefined) return;
    checkFunction("fuse", "readableStrategy.size", size);
    this.size = (chunk) => {
      const measured = +size(chunk);
      const counted = measured === 0 ? this.#trace : measured;
      if (counted > 0 && counted < this.#smallestSize) this.#smallestSize = counted;
      return counted;
    };
  }

  /** What a stage's controller says its desiredSize is, given the native stream's. */
  desiredSizeOf(native: number): number {
    if (this.#isEndless) return Infinity;
    if (this.#smallestSize > this.#trace) return native;
    const grain = this.#trace * 2 ** 10;
    return Math.round(native / grain) * grain;
  }

  /** Whether the queue is empty. */
  isEmpty(native: number): boolean {
    return this.highWaterMark - native < this.#smallestSize / 2;
  }
}

// As a built-in would, whatever takes its place later.
const NativeReadableStream = ReadableStream;
// Its `then` costs Node less than `queueMicrotask`.
const atOnce = Promise.resolve();

/** The readable side of a fused chain: a failure waits there until the chunks that were made before it are read. */
export class ReadableSide implements Output, UnderlyingDefaultSource<unknown> {
  readonly isDirect = true;
  isEnded = false;
  readonly #strategy: QueueStrategy;
  readonly #turn: LoopTurn;
  #engine!: Engine;
  #input!: WritableSide;
  #started!: Promise<void>;
  #controller!: ReadableStreamDefaultController<unknown>;
  /** The contrary of a transform stream's backpressure: the queue has room, or a read waits. */
  #hasRoom = false;
  #isPulled = false;
  #isPaused = false;
  /** Of the pull that goes on: the queue is full. */
  #filled: Deferred<void> | undefined;
  /** What waits was granted to go on. */
  #isGranted = false;
  /** There is room for what was granted to, though another chunk has come between. */
  #isSpare = false;
  #isClosing = false;
  #failure: Failure | undefined;

  constructor(strategy: QueuingStrategy<unknown> | undefined, turn: LoopTurn) {
    this.#turn = turn;
    this.#strategy = new QueueStrategy(strategy);
  }

  /** Makes the stream, which asks for chunks once the stages have started. */
  open(engine: Engine, input: WritableSide, started: Promise<void>): ReadableStream<unknown> {
    this.#engine = engine;
    this.#input = input;
    this.#started = started;
    return new NativeReadableStream<unknown>(this, this.#strategy);
  }

  start(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    this.#controller = controller;
    return this.#started;
  }

  /** Where the queue holds chunks, a pull goes on until it is full, as a transform stream's does. */
  pull(): PromiseLike<void> | undefined {
    this.#isPulled = true;
    if (this.#failure !== undefined) return void this.#fail();
    if (!this.#isPaused) this.#askInTurn();
    const goesOn = this.#failure === undefined && (this.#hasRoom || this.#isPaused);
    if (!goesOn || this.#strategy.highWaterMark === 0) return;
    return (this.#filled = createDeferred<void>()).promise;
  }

  #askInTurn(): void {
    if (this.#turn.isOver()) return this.#pause();
    this.#hasRoom = true;
    this.#ask();
  }

  /** Lets the event loop have its turn before a chunk is asked for. */
  #pause(): void {
    this.#isPaused = true;
    this.#hasRoom = false;
    yieldTurn(() => {
      this.#isPaused = false;
      this.#hasRoom = this.#mayWrite();
      if (this.#hasRoom) this.#ask();
      else this.#endPull();
    });
  }

  /** What waits may go on. */
  #ask(): void {
    if (this.#engine.hasReady) return void this.#engine.run();
    this.#engine.tellRoom();
    if (!this.#hasRoom) return;
    // What waits before the first stage goes on a step later, as natively: something else in this turn may still end it.
    if (!this.#input.isWaiting || this.#isGranted) return;
    this.#isGranted = true;
    void atOnce.then(this.#goOn);
  }

  cancel(reason: unknown): PromiseLike<void> {
    const failure = this.isEnded ? undefined : this.#failure;
    this.isEnded = true;
    // The chunks before a failure are given up, the failure is not.
    return failure === undefined
      ? this.#engine.cancel(reason)
      : Completion.rejected(failure.reason);
  }

  hasRoom(): boolean {
    return this.#hasRoom || this.#isSpare;
  }

  desiredSize(): number {
    return this.#strategy.desiredSizeOf(this.#controller.desiredSize ?? 0);
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) this.#enqueue(chunks[i]);
    this.#look();
  }

  writeOne(chunk: unknown): void {
    this.#enqueue(chunk);
    this.#look();
  }

  #enqueue(chunk: unknown): void {
    if (this.isEnded) return;
    this.#isSpare = this.#isPulled = false;
    this.#controller.enqueue(chunk);
    this.#hasRoom = !this.#isPaused && this.#mayWrite();
    if (!this.#hasRoom && !this.#isPaused) this.#endPull();
  }

  /** While a pull goes on, none comes that would look at the clock. */
  #look(): void {
    if (this.#filled !== undefined && !this.#isPaused && this.#turn.isOver()) this.#pause();
  }

  #endPull(): void {
    this.#filled?.resolve(undefined);
    this.#filled = undefined;
  }

  end(ending: Ending): void {
    if (!ending.failed) {
      // The native queue closes behind what it holds; until then a failure may take the end's place.
      this.isEnded = this.isEmpty();
      this.#controller.close();
      this.#isClosing = true;
      return;
    }
    this.#failure = ending;
    this.#endPull();
    if (this.#isClosing || this.isEmpty()) this.#fail();
  }

  readonly #goOn = (): void => {
    this.#isGranted = false;
    this.#isSpare = true;
    this.#engine.resume();
    this.#isSpare = false;
  };

  /** Whether there is room in the queue, or another read waits, for which the stream has pulled again. */
  #mayWrite(): boolean {
    return this.#strategy.highWaterMark > 0 ? this.#controller.desiredSize! > 0 : this.#isPulled;
  }

  isEmpty(): boolean {
    return this.#strategy.isEmpty(this.#controller.desiredSize ?? 0);
  }

  /** An error drops what the native queue holds, so it waits until that is read. */
  #fail(): void {
    if (this.isEnded || (!this.#isClosing && !this.isEmpty())) return;
    this.isEnded = true;
    this.#controller.error(this.#failure!.reason);
  }
}
