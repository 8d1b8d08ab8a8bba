// Over 200 lines: what a sender, a reader and an end each do to one queue.
import { createDeferred, type Deferred } from "../deferred.ts";
import { Fifo } from "../fifo.ts";
import type { FlushableRun } from "../pipeline/flush_run.ts";
import { FlushMarks } from "./flush_marks.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { ChannelPlan } from "./channel_options.ts";

interface Entry<T> {
  readonly chunk: T;
  readonly size: number;
}

interface Sender<T> extends Entry<T> {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

const done = Promise.resolve();

/** A rejection that does no harm if nothing awaits it: what it says has been said elsewhere. */
function quietRejection(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}

/** The queue between the senders and the reader. */
export class ChannelQueue<T> {
  readonly readable: ReadableStream<T>;
  readonly #action: string;
  readonly #plan: ChannelPlan<T>;
  /** Called once when nothing can be sent any more. */
  readonly #onEnd: (() => void) | undefined;
  readonly #entries = new Fifo();
  readonly #senders = new Fifo();
  readonly #marks = new FlushMarks();
  #controller!: ReadableStreamDefaultController<T>;
  #queued = 0;
  #dropped = 0;
  /** There while a read is pending and nothing waits for it. */
  #answer: (() => void) | undefined;
  #room: Deferred<void> | undefined;
  /** Rejects sends: closed or failed, though chunks may still wait; or cancelled. */
  #refusal: (() => Promise<never>) | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(action: string, plan: ChannelPlan<T>, onEnd?: () => void) {
    this.#action = action;
    this.#plan = plan;
    this.#onEnd = onEnd;
    this.readable = new ReadableStream<T>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: (reason) => this.#drop(reason),
    }, { highWaterMark: 0 });
    setEndMeaning(this.readable, {
      name: action === "send" ? "channel" : "fromEvents",
      waiting: () => this.#isAsked ? "nothing has been sent since" : undefined,
      attach: (run: FlushableRun) => this.#marks.run = run,
    });
  }

  get dropped(): number {
    return this.#dropped;
  }

  get ready(): Promise<void> {
    if (this.#refusal !== undefined) return this.#refusal();
    if (this.#hasRoom()) return done;
    if (this.#room === undefined) {
      this.#room = createDeferred<void>();
      this.#room.promise.catch(() => {});
    }
    return this.#room.promise;
  }

  send(chunk: T): Promise<void> {
    if (this.#refusal !== undefined) return this.#refusal();
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
      this.#answerPull();
    } else if (this.#hasRoom() || this.#makeRoom()) this.#add({ chunk, size });
    else return this.#overflow(chunk, size);
    return done;
  }

  /** Ends the stream after what has been sent, by a failure if there is one. */
  end(failure: { readonly reason: unknown } | undefined): void {
    if (this.#refusal !== undefined) return;
    this.#failure = failure;
    this.#refuse(() =>
      failure === undefined
        ? Promise.reject(new TypeError(`Cannot ${this.#action}: the channel is closed`))
        : quietRejection(failure.reason)
    );
    if (!this.#isAsked) return;
    this.#finish();
    this.#answerPull();
  }

  /** Has what was sent before passed on to the sink; fulfils once that has taken it. */
  flushNow(): Promise<void> {
    if (this.#refusal !== undefined) return this.#refusal();
    const flushed = this.#marks.add();
    if (this.#isAsked) void this.#reachMarks();
    return flushed;
  }

  /** Whether a chunk is wanted that is not there. */
  get #isAsked(): boolean {
    return this.#answer !== undefined && !this.#marks.isFlushing;
  }

  /** Lets the marks have their turn while a read is pending, and then answers that. */
  async #reachMarks(): Promise<void> {
    await this.#marks.reach();
    // In the step in which the channel goes on: what is sent or closed before that must find it flushing.
    this.#marks.isFlushing = false;
    const answer = this.#answer;
    if (answer === undefined) return;
    this.#answer = undefined;
    await this.#pull();
    answer();
  }

  /** Fails the stream at once, and drops what waits. */
  abort(reason: unknown): void {
    this.#drop(reason);
    this.#controller.error(reason);
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
    return this.#queued < this.#plan.highWaterMark || this.#isAsked;
  }

  /** Drops what has waited longest, if that is how it overflows; tells whether there is room now. */
  #makeRoom(): boolean {
    if (this.#plan.overflow !== "dropOldest") return false;
    while (this.#entries.length > 0 && !this.#hasRoom()) {
      this.#take();
      this.#dropped++;
    }
    return this.#hasRoom();
  }

  #overflow(chunk: T, size: number): Promise<void> {
    const { overflow, highWaterMark } = this.#plan;
    if (overflow === "wait") {
      const { promise, resolve, reject } = createDeferred<void>();
      promise.catch(() => {});
      this.#senders.push({ chunk, size, resolve, reject });
      return promise;
    }
    if (overflow === "fail") {
      const full = `the queue is full, its highWaterMark is ${highWaterMark}`;
      this.end({ reason: new RangeError(`Cannot ${this.#action}: ${full}`) });
      return this.#refusal!();
    }
    this.#marks.sent--;
    this.#dropped++;
    return done;
  }

  #add(entry: Entry<T>): void {
    this.#entries.push(entry);
    this.#queued += entry.size;
  }

  #take(): Entry<T> {
    const entry = this.#entries.shift() as Entry<T>;
    this.#marks.gone++;
    // What is added up of fractions is not quite 0 in the end.
    this.#queued = this.#entries.length === 0 ? 0 : this.#queued - entry.size;
    return entry;
  }

  #pull(): void | Promise<void> {
    if (this.#marks.isNext) {
      return new Promise((resolve) => {
        this.#answer = resolve;
        void this.#reachMarks();
      });
    }
    if (this.#entries.length === 0 && this.#senders.length > 0) this.#admit();
    if (this.#entries.length > 0) {
      const { chunk } = this.#take();
      while (this.#senders.length > 0 && this.#queued < this.#plan.highWaterMark) this.#admit();
      this.#controller.enqueue(chunk);
    } else if (this.#refusal === undefined) {
      return new Promise((resolve) => {
        this.#answer = resolve;
        this.#tellRoom();
      });
    } else this.#finish();
    this.#tellRoom();
  }

  #admit(): void {
    const sender = this.#senders.shift() as Sender<T>;
    this.#add(sender);
    sender.resolve();
  }

  #tellRoom(): void {
    if (this.#room === undefined || !this.#hasRoom()) return;
    this.#room.resolve();
    this.#room = undefined;
  }

  #answerPull(): void {
    const answer = this.#answer!;
    this.#answer = undefined;
    answer();
  }

  /** Ends the stream, all that was sent having been read. */
  #finish(): void {
    if (this.#failure !== undefined) this.#controller.error(this.#failure.reason);
    else this.#controller.close();
  }

  #drop(reason: unknown): void {
    this.#entries.clear();
    while (this.#senders.length > 0) (this.#senders.shift() as Sender<T>).reject(reason);
    this.#queued = 0;
    this.#marks.drop(reason);
    this.#refuse(() => quietRejection(reason));
    if (this.#answer !== undefined) this.#answerPull();
  }

  #refuse(refusal: () => Promise<never>): void {
    const isFirst = this.#refusal === undefined;
    this.#refusal = refusal;
    refusal().catch((reason) => {
      this.#room?.reject(reason);
      this.#room = undefined;
    });
    if (isFirst) this.#onEnd?.();
  }
}
