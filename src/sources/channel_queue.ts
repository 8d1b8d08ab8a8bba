import { createDeferred, type Deferred } from "../deferred.ts";
import { type FlushableRun, flushRun } from "../pipeline/flush_run.ts";
import { Fifo } from "../fifo.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { ChannelPlan } from "./channel_options.ts";

/**
 * Why a channel takes no chunks any more, with a reason unless it was closed. After `end` the stream ends so once what
 * was sent is read. A cancel or `abort`, then or before, leaves nothing of that, and the reader wants nothing more.
 */
type Ending = { readonly reason?: unknown };

const closed: Ending = {};
const done = Promise.resolve();

/** The queue between the senders and the reader. */
export class ChannelQueue<T> {
  readonly readable: ReadableStream<T>;
  readonly #action: string;
  readonly #plan: ChannelPlan<T>;
  /** Called once when nothing can be sent any more. */
  readonly #onEnd: (() => void) | undefined;
  readonly #buffer: ChannelBuffer<T>;
  readonly #marks = new FlushMarks();
  #controller!: ReadableStreamDefaultController<T>;
  /** There once it takes no chunks. */
  #ending: Ending | undefined;
  /** How many chunks have been dropped because there was no room. */
  dropped = 0;
  /** The read that nothing waits for, if one is pending. */
  #read: Deferred<void> | undefined;
  /** What waits for room without a chunk. */
  #ready: Deferred<void> | undefined;

  constructor(action: string, plan: ChannelPlan<T>, onEnd?: () => void) {
    this.#action = action;
    this.#plan = plan;
    this.#onEnd = onEnd;
    this.#buffer = new ChannelBuffer(plan.highWaterMark);
    this.readable = new ReadableStream<T>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: (reason) => this.#drop(reason),
    }, { highWaterMark: 0 });
    setEndMeaning(this.readable, {
      name: action === "send" ? "channel" : "fromEvents",
      waiting: () => this.#isAsked ? "nothing has been sent since" : undefined,
      attach: (run: FlushableRun) => void this.#marks.attach(run),
    });
  }

  get ready(): Promise<void> {
    if (this.#ending !== undefined) return this.#refuse();
    if (this.#hasRoom()) return done;
    if (this.#ready === undefined) {
      this.#ready = createDeferred<void>();
      this.#ready.promise.catch(() => {});
    }
    return this.#ready.promise;
  }

  send(chunk: T): Promise<void> {
    if (this.#ending !== undefined) return this.#refuse();
    let size: number;
    try {
      size = this.#sizeOf(chunk);
    } catch (reason) {
      return Promise.reject(reason);
    }
    this.#marks.sent++;
    if (this.#isAsked) {
      this.#marks.gone++;
      this.#controller.enqueue(chunk);
      this.#answerRead();
    } else if (this.#hasRoom() || this.#makeRoom()) this.#buffer.add(chunk, size);
    else return this.#overflow(chunk, size);
    return done;
  }

  /** Ends the stream after what has been sent, by a failure if there is one. */
  end(failure: { readonly reason: unknown } | undefined): void {
    if (this.#ending !== undefined) return;
    this.#enter(failure ?? closed);
    if (!this.#isAsked) return;
    this.#finish(failure ?? closed);
    this.#answerRead();
  }

  /** Fails the stream at once, and drops what waits. */
  abort(reason: unknown): void {
    this.#drop(reason);
    this.#controller.error(reason);
  }

  /** Has what was sent before passed on to the sink; fulfils once that has taken it. */
  flushNow(): Promise<void> {
    if (this.#ending !== undefined) return this.#refuse();
    const flushed = this.#marks.add();
    if (this.#isAsked) void this.#reachMarks();
    return flushed;
  }

  /** Whether a chunk is wanted that is not there. */
  get #isAsked(): boolean {
    return this.#read !== undefined && !this.#marks.isFlushing;
  }

  /** Lets the marks have their turn while a read is pending, and then answers that. */
  async #reachMarks(): Promise<void> {
    await this.#marks.reach();
    // In the step in which the channel goes on: what is sent or closed before that must find it flushing.
    this.#marks.isFlushing = false;
    const read = this.#read;
    if (read === undefined) return;
    this.#read = undefined;
    await this.#pull();
    read.resolve();
  }

  #sizeOf(chunk: T): number {
    const { size } = this.#plan;
    if (size === undefined) return 1;
    const value = size(chunk);
    if (typeof value === "number" && value >= 0 && value !== Infinity) return value;
    throw new RangeError(
      `Cannot ${this.#action}: size must give a non-negative number, got ${value}`,
    );
  }

  #hasRoom(): boolean {
    return this.#buffer.hasRoom || this.#isAsked;
  }

  /** Drops what has waited longest, if that is how it overflows; tells whether there is room now. */
  #makeRoom(): boolean {
    if (this.#plan.overflow !== "dropOldest") return false;
    while (!this.#buffer.isEmpty && !this.#hasRoom()) {
      this.#take();
      this.dropped++;
    }
    return this.#hasRoom();
  }

  #overflow(chunk: T, size: number): Promise<void> {
    const { overflow, highWaterMark } = this.#plan;
    if (overflow === "wait") return this.#buffer.addSender(chunk, size);
    if (overflow === "fail") {
      const full = `the queue is full, its highWaterMark is ${highWaterMark}`;
      this.end({ reason: new RangeError(`Cannot ${this.#action}: ${full}`) });
      return this.#refuse();
    }
    this.#marks.sent--;
    this.dropped++;
    return done;
  }

  #take(): T {
    this.#marks.gone++;
    return this.#buffer.take();
  }

  #pull(): void | Promise<void> {
    if (this.#marks.isNext) {
      const read = this.#await();
      void this.#reachMarks();
      return read;
    }
    if (!this.#buffer.isEmpty) this.#controller.enqueue(this.#take());
    else if (this.#ending !== undefined) this.#finish(this.#ending);
    else {
      const read = this.#await();
      this.#notifyReady();
      return read;
    }
    this.#notifyReady();
  }

  #await(): Promise<void> {
    return (this.#read = createDeferred<void>()).promise;
  }

  #answerRead(): void {
    const read = this.#read!;
    this.#read = undefined;
    read.resolve();
  }

  #notifyReady(): void {
    if (this.#ready === undefined || !this.#hasRoom()) return;
    this.#ready.resolve();
    this.#ready = undefined;
  }

  /** Ends the stream, all that was sent having been read. */
  #finish(ending: Ending): void {
    if ("reason" in ending) this.#controller.error(ending.reason);
    else this.#controller.close();
  }

  #drop(reason: unknown): void {
    this.#buffer.drop(reason);
    this.#marks.drop(reason);
    this.#enter({ reason });
    if (this.#read !== undefined) this.#answerRead();
  }

  /** Takes no chunk any more. */
  #enter(ending: Ending): void {
    const wasOpen = this.#ending === undefined;
    this.#ending = ending;
    this.#refuse().catch((reason) => {
      this.#ready?.reject(reason);
      this.#ready = undefined;
    });
    if (wasOpen) this.#onEnd?.();
  }

  /** What is answered once it takes no chunk any more. */
  #refuse(): Promise<never> {
    const ending = this.#ending!;
    if (!("reason" in ending)) {
      return Promise.reject(new TypeError(`Cannot ${this.#action}: the channel is closed`));
    }
    const refused = Promise.reject(ending.reason);
    // It does no harm if nothing awaits it: what it says has been said elsewhere.
    refused.catch(() => {});
    return refused;
  }
}

interface Entry<T> {
  readonly chunk: T;
  readonly size: number;
}

interface Sender<T> extends Entry<T> {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** What was sent to a channel and is not given yet: a queue, and behind it the chunks of senders that wait for room. */
class ChannelBuffer<T> {
  readonly #highWaterMark: number;
  readonly #queue = new Fifo();
  readonly #senders = new Fifo();
  /** The sum of the sizes in the queue. */
  #total = 0;

  constructor(highWaterMark: number) {
    this.#highWaterMark = highWaterMark;
  }

  get hasRoom(): boolean {
    return this.#total < this.#highWaterMark;
  }

  /** Whether there is nothing to take. */
  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#senders.length === 0;
  }

  add(chunk: T, size: number): void {
    this.#push({ chunk, size });
  }

  /** Lets a sender wait; fulfils once its chunk is in the queue. */
  addSender(chunk: T, size: number): Promise<void> {
    const { promise, resolve, reject } = createDeferred<void>();
    promise.catch(() => {});
    this.#senders.push({ chunk, size, resolve, reject } satisfies Sender<T>);
    return promise;
  }

  /** Takes the chunk that has waited longest, and lets senders in as far as that makes room. */
  take(): T {
    if (this.#queue.length === 0) this.#admit();
    const { chunk, size } = this.#queue.shift() as Entry<T>;
    // What is added up of fractions is not quite 0 in the end.
    this.#total = this.#queue.length === 0 ? 0 : this.#total - size;
    while (this.#senders.length > 0 && this.hasRoom) this.#admit();
    return chunk;
  }

  /** Forgets all, and refuses what waits for room. */
  drop(reason: unknown): void {
    this.#queue.clear();
    this.#total = 0;
    while (this.#senders.length > 0) (this.#senders.shift() as Sender<T>).reject(reason);
  }

  #push(entry: Entry<T>): void {
    this.#queue.push(entry);
    this.#total += entry.size;
  }

  #admit(): void {
    const sender = this.#senders.shift() as Sender<T>;
    this.#push(sender);
    sender.resolve();
  }
}

/** Someone who wants all passed on that was sent before. */
interface Mark extends Deferred<void> {
  /** How many chunks were sent before it. */
  readonly after: number;
}

/** Where among the chunks of a channel all that was sent before is to be passed on. */
class FlushMarks {
  readonly #marks: Mark[] = [];
  /** Chunks that were accepted, and those of them that were given or dropped. */
  sent = 0;
  gone = 0;
  #run: FlushableRun | undefined;
  /** Takes what is to be called in the async context of the run. */
  #request!: Deferred<() => void>;
  /** From `reach` on, until the channel goes on: nothing may be given meanwhile. */
  isFlushing = false;

  /** Whether all that was sent before the first one is gone. */
  get isNext(): boolean {
    return this.#marks.length > 0 && this.#marks[0]!.after <= this.gone;
  }

  /** Adds one; fulfils once the sink has taken what was sent before. */
  add(): Promise<void> {
    const mark: Mark = { ...createDeferred<void>(), after: this.sent };
    mark.promise.catch(() => {});
    this.#marks.push(mark);
    return mark.promise;
  }

  /** To be called by the run that reads the channel: its functions are called in its own async context, not in that of flushNow. */
  async attach(run: FlushableRun): Promise<void> {
    this.#run = run;
    while (this.#run === run) {
      const request = this.#request = createDeferred<() => void>();
      (await request.promise)();
    }
  }

  /** Lets those have their turn that are next. */
  async reach(): Promise<void> {
    this.isFlushing = true;
    while (this.isNext) {
      const { resolve, reject } = this.#marks[0]!;
      try {
        const run = this.#run;
        if (run === undefined) {
          throw new TypeError("Cannot flush now: the stream is not the source of a pipeline");
        }
        await new Promise((resolve) => this.#request.resolve(() => resolve(flushRun(run))));
        resolve();
      } catch (reason) {
        reject(reason);
      }
      this.#marks.shift();
    }
  }

  /** Nothing can be flushed any more. */
  drop(reason: unknown): void {
    for (const { reject } of this.#marks.splice(0)) reject(reason);
  }
}
