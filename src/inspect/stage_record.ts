import type { ProbedKind } from "./types.ts";
import type { GivenTimes } from "./given_times.ts";
import { QueueGauge } from "./queue_gauge.ts";
import { SizeLedger } from "./size_ledger.ts";

/** Stands for a chunk that was not seen. */
export const noChunk: unique symbol = Symbol("no chunk");

/** What a probe knows of one stage. */
export class StageRecord {
  readonly name: string;
  readonly kind: ProbedKind;
  /** Which of the probe's stages it is, in the order in which they were wrapped. */
  readonly number: number;
  previous: StageRecord | undefined;
  next: StageRecord | undefined;
  /** Chunks whose transform or write has begun. */
  begun = 0;
  /** Transforms or writes that have finished. */
  finished = 0;
  /** Those of them that failed. */
  failed = 0;
  /** Chunks given to the outgoing queue. */
  given = 0;
  /** 1 while a chunk is announced and not yet in the queue. */
  entering = 0;
  /** Whether the chunk that is being transformed has given anything. */
  hasGiven = false;
  /** The number of the event by which its source is being asked, until it has answered or enqueued; otherwise -2. */
  askedIndex = -2;
  /** The number of the event that announced the last chunk. */
  lastIndex = -1;
  /** It gives and takes no more. */
  isOver = false;
  hasFailed = false;
  /** The queue before it has failed by itself. */
  isLost = false;
  /** Why, as text. */
  failure: string | undefined;
  /** The last chunk that it gave or began, remembered only where chunks are watched. */
  lastChunk: unknown = noChunk;
  /** When its chunks were given, for an observer. */
  givenTimes: GivenTimes | undefined;
  /** A sink of which only the write function is known, so that its end is not seen. */
  isWriteOnly = false;
  /** It has been asked to pause. */
  isPaused = false;
  /** A source without `pull` gives when it likes: it is waited for whenever the pipeline is empty. */
  pushes = false;
  /** Of a composition: what it is made of, in order, which the engine runs one by one. */
  parts: readonly StageRecord[] | undefined;
  readonly gauge: QueueGauge = new QueueGauge();
  /** Counts the outgoing queue where it can be asked directly. */
  measureOut: (() => number) | undefined;
  /** Counts what waits in the incoming queue where it can be asked directly. */
  measureIn: (() => number) | undefined;
  /** Counts what it has in hand where that holds its places longer than a call lasts. */
  measureHand: (() => number) | undefined;
  /** Counts the chunks that it is done with, where it may hold several after their calls have ended. */
  measureDone: (() => number) | undefined;
  /** What it waits for at this time, where it can say. */
  waitsFor: (() => string | undefined) | undefined;
  outSize: ((chunk: unknown) => number) | undefined;
  inSize: ((chunk: unknown) => number) | undefined;
  outHighWaterMark: number | undefined;
  inHighWaterMark: number | undefined;
  /** Chunks that waited before it at the last event, and that number times milliseconds, summed up. */
  waiting = 0;
  waitingTime = 0;
  /** Of a source that pushes: how long nothing was in the pipeline, in milliseconds. */
  idleMs = 0;
  #ledger: SizeLedger | undefined;
  #busyMs = 0;
  #calls = 0;
  /** At first it is believed to be: the first call of all is slower than those to come. */
  #isSlow = true;
  #busySinceMs = 0;
  #busyDepth = 0;

  constructor(name: string, kind: ProbedKind, number: number) {
    this.name = name;
    this.kind = kind;
    this.number = number;
  }

  /** Chunks that it has given, or, a writer, has written. */
  get done(): number {
    return this.kind === "writer" ? this.finished - this.failed : this.given;
  }

  /** Calls that have begun and not finished. */
  get inFlight(): number {
    return this.begun - this.finished;
  }

  /** Chunks in the outgoing queue. */
  get out(): number {
    if (this.measureOut !== undefined) return this.measureOut() + this.entering;
    const total = this.gauge.total();
    // Nothing takes what a queue holds once what follows is over; one that was cancelled or closed may say it is full.
    const { next } = this;
    if (total > 0 && next?.isOver && (next.kind === "writer" || this.gauge.isClosing)) return 0;
    if (this.#ledger === undefined && !this.gauge.isClosing) return this.entering + total;
    const begun = this.next?.begun ?? 0;
    const count = this.#ledger === undefined ? total : this.#ledger.countOut(total, begun);
    // A queue that was full when it was closed does not say when it is empty; but what is farther on has left it.
    if (this.gauge.isClosing) return Math.max(0, Math.min(count, this.given - begun));
    return this.entering + count;
  }

  /** Chunks that wait for the stage; `undefined` if that is unknown. */
  get in(): number | undefined {
    const { previous } = this;
    if (this.measureIn === undefined && previous === undefined) return undefined;
    return this.waitingBehind(previous?.out ?? 0);
  }

  /** The same, 0 where that is unknown, where `out` chunks are known to be in the queue of the stage before. */
  waitingBehind(out: number): number {
    // A failure, an abort or an early end drops what waits.
    if (this.hasFailed || this.isOver) return 0;
    if (this.measureIn !== undefined) return this.measureIn();
    const { previous } = this;
    if (previous === undefined) return 0;
    // A queue that has failed by its own `size` says so to what is before it alone.
    if ((previous.hasFailed || this.isLost) && this.begun === this.finished) return 0;
    return Math.max(0, previous.given - out - this.begun);
  }

  /** Chunks that it has begun, and that are in no queue after it. */
  get transforming(): number {
    const { parts } = this;
    if (this.measureDone !== undefined) {
      return this.hasFailed || this.isOver ? 0 : this.begun - this.measureDone();
    }
    if (parts === undefined || parts.length === 0 || parts[0]!.begun === 0) {
      return this.begun > this.finished && !this.hasGiven ? 1 : 0;
    }
    if (this.hasFailed || this.isOver) return 0;
    let count = 0;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index]!;
      count += part.transforming;
      if (index > 0) count += part.waitingBehind(part.previous!.out);
      if (index < parts.length - 1) count += part.out;
    }
    return count;
  }

  /** Chunks that it has begun and that still hold their places before it. */
  get inHand(): number {
    return this.measureHand === undefined ? this.inFlight : this.measureHand();
  }

  /** Sums of the sizes in both queues. */
  get outTotal(): number {
    return this.measureOut === undefined ? this.gauge.total() : this.measureOut();
  }

  get inTotal(): number | undefined {
    const count = this.in;
    if (count === undefined || this.inSize === undefined) return count;
    // What is counted and not measured is what the stage before has given, by sizes because of this one.
    return this.previous!.ledger()!.sumNext(this.begun, count);
  }

  /** Whether either queue after this stage counts anything but chunks. */
  get hasSizes(): boolean {
    return this.outSize !== undefined || this.next?.inSize !== undefined;
  }

  /** The sizes between this stage and the next, if either counts anything but chunks. */
  ledger(): SizeLedger | undefined {
    if (!this.hasSizes) return undefined;
    return this.#ledger ??= new SizeLedger();
  }

  /** Whether the next call is to be measured. Of short ones that answer at once only one in 64 is, and counts for all. */
  get isMeasured(): boolean {
    return this.#isSlow || (++this.#calls & 63) === 0;
  }

  /** A measured call that answered at once took this long. */
  addCall(durationMs: number, isExact: boolean): void {
    this.#busyMs += this.#isSlow || isExact ? durationMs : durationMs * 64;
    this.#isSlow = durationMs > 0.02;
  }

  /** Work that lasts begins; several at a time count once. */
  beginWork(timeMs: number): void {
    if (this.#busyDepth++ === 0) this.#busySinceMs = timeMs;
  }

  endWork(timeMs: number): void {
    if (--this.#busyDepth === 0) this.#busyMs += timeMs - this.#busySinceMs;
  }

  /** How long it has been at work, so far, in milliseconds. */
  busyMs(timeMs: number): number {
    const ownMs = this.#busyMs + (this.#busyDepth > 0 ? timeMs - this.#busySinceMs : 0);
    // What the first part does counts as its own.
    return this.parts?.slice(1).reduce((sumMs, part) => sumMs + part.busyMs(timeMs), ownMs) ??
      ownMs;
  }
}
