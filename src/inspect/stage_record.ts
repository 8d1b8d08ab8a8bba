import type { ProbedKind } from "./types.ts";

/** More are not remembered: chunks that another part takes out between two stages would pile up. */
const limit = 65_536;

/** When the chunks of a stage were given, until the next stage begins them. */
export class GivenTimes {
  readonly #times = new Map<number, number>();
  /** None before this number is remembered. */
  #first = 1;

  /** Chunk number `ordinal`, counted from 1, is given; its number may have been that of one that was refused. */
  add(ordinal: number, timeMs: number): void {
    if (this.#times.size === 0) this.#first = ordinal;
    this.#times.set(ordinal, timeMs);
    this.#times.delete(ordinal - limit);
  }

  /** When chunk number `ordinal` was given, if that is known; earlier ones are forgotten. */
  take(ordinal: number): number | undefined {
    const timeMs = this.#times.get(ordinal);
    if (timeMs === undefined) return undefined;
    while (this.#first <= ordinal) this.#times.delete(this.#first++);
    return timeMs;
  }
}

/** Reads how full a stage's outgoing queue is off its controller's `desiredSize`. */
export class QueueGauge {
  #controller: { readonly desiredSize: number | null } | undefined;
  #highWaterMark = 0;
  #isClosing = false;
  #hadRoom = false;
  #isCancelled = false;

  /** The high-water mark, known once the stream has started. */
  get highWaterMark(): number | undefined {
    return this.#controller === undefined ? undefined : this.#highWaterMark;
  }

  /** Whether it is closed, or will be once it is empty. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** To be called by `start`, while the queue is empty and has room for all it ever will. */
  open(controller: { readonly desiredSize: number | null }): void {
    this.#controller = controller;
    // What just starts has not failed, so it has one.
    this.#highWaterMark = controller.desiredSize!;
  }

  /** To be called before the queue is closed. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#hadRoom = (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** To be called when the queue has been cancelled, which empties it; it says 0 then, as when it is full. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** The sum of the sizes in the queue; 0 where the mark is infinite, which hides it. */
  total(): number {
    const controller = this.#controller;
    if (controller === undefined || this.#isCancelled || this.#highWaterMark === Infinity) return 0;
    const { desiredSize } = controller;
    if (desiredSize === null) return 0;
    if (this.#isClosing) {
      // An empty queue that was closed says 0, too; but a queue that had room does not fill up any more.
      if (desiredSize === 0 && this.#hadRoom) return 0;
      this.#hadRoom = desiredSize > 0;
    }
    const total = this.#highWaterMark - desiredSize;
    return total > 0 ? total : 0;
  }
}

/** The sizes of a chunk in the queue it is put in and in the one it goes to next. */
type Sizes = readonly [out: number, next: number];

/** Remembers the sizes of the chunks between two stages, since a queue only tells their sum. */
export class SizeLedger {
  /** By the numbers of the chunks, those from `#first` on. */
  readonly #sizes = new Map<number, Sizes>();
  #first = 0;
  /** How many chunks have been given, and how many of them have left the first queue. */
  #given = 0;
  #left = 0;
  #outSum = 0;

  add(out: number, next: number): void {
    this.#sizes.set(this.#given++, [out, next]);
    this.#outSum += out;
  }

  /** Forgets the chunk that was added last: it did not get into the queue. */
  removeLast(): void {
    const last = this.#sizes.get(this.#given - 1);
    if (last === undefined) return;
    this.#sizes.delete(--this.#given);
    this.#outSum -= last[0];
  }

  /** How many chunks are in the first queue, if their sizes come to `total` and `begun` chunks are farther on. */
  countOut(total: number, begun: number): number {
    const tolerance = 1e-9 * Math.max(1, Math.abs(total));
    while (this.#left < this.#given) {
      const [size] = this.#sizes.get(this.#left)!;
      const isTooMuch = this.#outSum > total + tolerance &&
        this.#outSum - size >= total - tolerance;
      if (this.#left >= begun && !isTooMuch) break;
      this.#outSum -= size;
      this.#left++;
    }
    while (this.#first < Math.min(begun, this.#left)) this.#sizes.delete(this.#first++);
    return this.#given - this.#left;
  }

  /** The sum of the sizes of the `count` chunks in the second queue, of which the first is number `begun`. */
  sumNext(begun: number, count: number): number {
    let sum = 0;
    for (let number = begun; number < begun + count; number++) {
      // What was given before the next stage was wrapped is not known.
      sum += this.#sizes.get(number)?.[1] ?? 0;
    }
    return sum;
  }
}

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
