import { Fifo } from "../fifo.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { ChannelPlan } from "./channel_options.ts";
import type { SourceEnding, SourceReader } from "./source_reader.ts";

/** Without a branch, the event loop has its turn after so many chunks. */
const chunksPerTurn = 256;

/** Reads one source for branches that come and go. */
export class HubSource<T> implements BranchHost<T> {
  ending: SourceEnding | undefined;
  readonly #source: SourceReader<T>;
  readonly #replay: number;
  readonly #runAlone: boolean;
  /** The last chunks, for those that join. */
  readonly #last = new Fifo();
  readonly #open = new Set<HubBranchSource<T>>();
  #isReading = false;
  #readAlone = 0;

  constructor(source: SourceReader<T>, replay: number, runAlone: boolean) {
    this.#source = source;
    this.#replay = replay;
    this.#runAlone = runAlone;
    this.read();
  }

  get branchCount(): number {
    return this.#open.size;
  }

  join(plan: ChannelPlan<T>): ReadableStream<T> {
    const branch = new HubBranchSource<T>(this, plan);
    for (let count = this.#last.length; count > 0; count--) {
      const chunk = this.#last.shift() as T;
      this.#last.push(chunk);
      branch.replay(chunk);
    }
    this.#open.add(branch);
    return branch.readable;
  }

  leave(branch: HubBranchSource<T>): void {
    this.#open.delete(branch);
    // It may have been the one that the others waited for, or the last.
    this.read();
  }

  async cancel(reason: unknown): Promise<void> {
    if (this.ending !== undefined) return;
    this.#end({ failed: true, reason });
    await this.#source.cancel(reason);
  }

  saidOf(asking: HubBranchSource<T>): string {
    const full = [...this.#open].findIndex((branch) => branch !== asking && branch.holdsBack);
    return full < 0
      ? "its source has given nothing since"
      : `branch ${full + 1} has no room: it is not read`;
  }

  read(): void {
    if (this.#isReading || this.ending !== undefined || !this.#isWanted()) return;
    this.#isReading = true;
    void this.#readOne();
  }

  /** Whether the chunk that would be read now has somewhere to go. */
  #isWanted(): boolean {
    if (this.#open.size === 0) return this.#runAlone;
    let isAsked = false;
    for (const branch of this.#open) {
      if (branch.isAsking) isAsked = true;
      else if (branch.holdsBack) return false;
    }
    return isAsked;
  }

  async #readOne(): Promise<void> {
    try {
      if (this.#open.size === 0) await this.#giveTurn();
      const { done, value } = await this.#source.read();
      // Cancelled meanwhile.
      if (this.ending !== undefined) return;
      if (done) return this.#end({ failed: false });
      this.#keep(value);
      for (const branch of this.#open) branch.take(value);
    } catch (reason) {
      if (this.ending === undefined) this.#end({ failed: true, reason });
      return;
    }
    this.#isReading = false;
    this.read();
  }

  /** A source that always has a chunk would let nothing join. */
  async #giveTurn(): Promise<void> {
    if (this.#readAlone++ % chunksPerTurn !== 0) return;
    await new Promise<void>((resolve) => setTimeout(resolve));
  }

  #keep(chunk: T): void {
    if (this.#replay === 0) return;
    if (this.#last.length === this.#replay) this.#last.shift();
    this.#last.push(chunk);
  }

  #end(ending: SourceEnding): void {
    this.ending = ending;
    for (const branch of this.#open) branch.endIfAsked();
  }
}

/** What a branch needs of its hub. */
interface BranchHost<T> {
  readonly ending: SourceEnding | undefined;
  /** Reads a chunk, if it is wanted. */
  read(): void;
  /** What a branch waits for. */
  saidOf(branch: HubBranchSource<T>): string;
  /** To be called by a branch that has ended or was cancelled. */
  leave(branch: HubBranchSource<T>): void;
}

/** What one branch of a hub has not been read of yet. */
class HubBranchSource<T> {
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
