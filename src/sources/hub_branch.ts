import { Fifo } from "../fifo.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { ChannelPlan } from "./channel_options.ts";
import type { SourceEnding } from "./source_reader.ts";

/** What a branch needs of its hub. */
export interface BranchHost<T> {
  readonly ending: SourceEnding | undefined;
  /** Reads a chunk, if it is wanted. */
  read(): void;
  /** What a branch waits for. */
  saidOf(branch: HubBranchSource<T>): string;
  /** To be called by a branch that has ended or was cancelled. */
  leave(branch: HubBranchSource<T>): void;
}

/** What one branch of a hub has not been read of yet. */
export class HubBranchSource<T> {
  readonly readable: ReadableStream<T>;
  readonly #hub: BranchHost<T>;
  readonly #plan: ChannelPlan<T>;
  readonly #waiting = new Fifo();
  #controller!: ReadableStreamDefaultController<T>;
  /** There while it asks and nothing waits for it. */
  #answer: (() => void) | undefined;
  #dropped = 0;
  /** There once it has overflowed and is to fail. */
  #failure: SourceEnding | undefined;

  constructor(hub: BranchHost<T>, plan: ChannelPlan<T>) {
    this.#hub = hub;
    this.#plan = plan;
    this.readable = new ReadableStream<T>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: () => this.#leave(),
    }, { highWaterMark: 0 });
    setEndMeaning(this.readable, { name: "hub", waiting: () => this.#hub.saidOf(this) });
    Object.defineProperty(this.readable, "dropped", { get: () => this.#dropped });
  }

  get isAsking(): boolean {
    return this.#answer !== undefined;
  }

  /** Whether the next chunk must not be read before this one has room. */
  get holdsBack(): boolean {
    return this.#plan.overflow === "wait" && !this.#hasRoom();
  }

  /** Adds a chunk from before it joined, for which there is always room. */
  replay(chunk: T): void {
    this.#waiting.push(chunk);
  }

  take(chunk: T): void {
    const answer = this.#answer;
    if (answer !== undefined) {
      this.#answer = undefined;
      this.#controller.enqueue(chunk);
      answer();
    } else if (this.#makeRoom()) this.#waiting.push(chunk);
  }

  /** Passes on how the hub has ended, if all that came before has been read. */
  endIfAsked(): void {
    if (this.#answer !== undefined) this.#end(this.#hub.ending!);
  }

  #hasRoom(): boolean {
    return this.#waiting.length < this.#plan.highWaterMark;
  }

  /** Does what is to be done on overflow; tells whether there is room now. */
  #makeRoom(): boolean {
    const { overflow, highWaterMark } = this.#plan;
    if (this.#hasRoom() || overflow === "wait") return true;
    if (overflow === "fail") {
      const full = `the branch is full, its highWaterMark is ${highWaterMark}`;
      this.#failure = { failed: true, reason: new RangeError(`Cannot take a chunk: ${full}`) };
      this.#hub.leave(this);
      return false;
    }
    while (overflow === "dropOldest" && this.#waiting.length > 0 && !this.#hasRoom()) {
      this.#waiting.shift();
      this.#dropped++;
    }
    if (!this.#hasRoom()) this.#dropped++;
    return this.#hasRoom();
  }

  #pull(): void | Promise<void> {
    if (this.#waiting.length > 0) {
      this.#controller.enqueue(this.#waiting.shift() as T);
      // Others may have waited for room here.
      return this.#hub.read();
    }
    const ending = this.#failure ?? this.#hub.ending;
    if (ending !== undefined) return this.#end(ending);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#hub.read();
    });
  }

  #end({ failed, reason }: SourceEnding): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (failed) this.#controller.error(reason);
    else this.#controller.close();
    this.#hub.leave(this);
    answer?.();
  }

  #leave(): void {
    this.#waiting.clear();
    this.#answer?.();
    this.#answer = undefined;
    this.#hub.leave(this);
  }
}
