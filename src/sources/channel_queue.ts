import { createDeferred, type Deferred } from "../deferred.ts";
import type { FlushableRun } from "../pipeline/flush_run.ts";
import { FlushMarks } from "./flush_marks.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import { ChannelBuffer } from "./channel_buffer.ts";
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
