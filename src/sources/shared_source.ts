import { Fifo } from "../fifo.ts";
import type { ChannelPlan } from "./channel_options.ts";
import { directStream } from "./direct_stream.ts";
import type { ReadObserver, SourceEnding, SourceReader } from "./source_reader.ts";

/** As what a branch is counted: it asks and nothing waits for it, it has no room, it has room, or it has ended. */
type BranchState = 0 | 1 | 2 | 3;

const ASKING = 0;
const FULL = 1;
const OPEN = 2;
const GONE = 3;

/** How far a branch may be behind, and what happens to what comes when it is. */
type BranchPlan = Pick<ChannelPlan<never>, "highWaterMark" | "overflow">;

interface Branch {
  readonly plan: BranchPlan;
  readonly controller: ReadableStreamDefaultController<unknown>;
  /** What it has not asked for yet. */
  readonly waiting: Fifo;
  isAsking: boolean;
  /** Called when what it has asked for is there, if its stream has asked. */
  answer: (() => void) | undefined;
  state: BranchState;
  dropped: number;
  /** Why it has ended before the others. */
  failure: SourceEnding | undefined;
}

interface SharingOptions {
  /** Whether the source is cancelled with the last branch. */
  readonly endsWithLast?: boolean;
  /** How many of the last chunks a branch that joins is given. */
  readonly replay?: number;
  /** Whether the source is read, and what it gives dropped, while there is no branch. */
  readonly runAlone?: boolean;
}

/** How many chunks are read without a branch before the event loop has its turn. */
const chunksPerTurn = 256;

/** Reads one source for several streams, and waits for those that may not miss anything. */
export class SharedSource<T> {
  readonly #source: SourceReader<unknown>;
  readonly #options: SharingOptions;
  readonly #open = new Set<Branch>();
  /** How many branches are in each state: to look at all at each pull takes time in proportion to their square. */
  readonly #counts = [0, 0, 0];
  /** The last chunks, for those that join. */
  readonly #last = new Fifo();
  #isReading = false;
  #readAlone = 0;
  #ending: SourceEnding | undefined;

  constructor(source: SourceReader<unknown>, options: SharingOptions) {
    this.#source = source;
    this.#options = options;
    this.#read();
  }

  get branchCount(): number {
    return this.#open.size;
  }

  /** Cancels the source, and fails what reads it. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#end({ failed: true, reason });
    await this.#source.cancel(reason);
  }

  join(name: string, plan: BranchPlan): ReadableStream<T> & { readonly dropped: number } {
    const waiting = new Fifo();
    for (let count = this.#last.length; count > 0; count--) {
      const chunk = this.#last.shift();
      this.#last.push(chunk);
      waiting.push(chunk);
    }
    let branch!: Branch;
    // No promise, which a reader past the stream does not need.
    const pulled: PromiseLike<void> = {
      then(onFulfilled) {
        const answer = onFulfilled as () => void;
        if (branch.isAsking) branch.answer = answer;
        else answer();
        return this as PromiseLike<never>;
      },
    };
    const stream = directStream<T>(
      {
        waiting: () => this.#saidOf(branch),
        start: (controller) => {
          branch = {
            plan,
            controller,
            waiting,
            isAsking: false,
            answer: undefined,
            state: OPEN,
            dropped: 0,
            failure: undefined,
          };
          this.#open.add(branch);
          this.#counts[OPEN]!++;
          this.#count(branch);
        },
        pull: () => {
          if (this.#give(branch)) {
            // Others may have waited for room here.
            this.#read();
            return;
          }
          branch.isAsking = true;
          this.#count(branch);
          this.#read();
          return pulled;
        },
        cancel: (reason) => {
          this.#leave(branch);
          branch.waiting.clear();
          branch.isAsking = false;
          branch.answer?.();
          if (this.#options.endsWithLast && this.#open.size === 0) {
            return this.#source.cancel(reason);
          }
          // It may have been the one that the others waited for.
          this.#read();
        },
      },
      name,
      // By a promise: who reads it may be in another async context than who has the chunk come.
      true,
    );
    return Object.defineProperty(stream, "dropped", { get: () => branch.dropped }) as
      & ReadableStream<T>
      & { readonly dropped: number };
  }

  /** What a branch waits for. */
  #saidOf(asking: Branch): string {
    const full = [...this.#open].findIndex((branch) => branch !== asking && branch.state === FULL);
    return this.#isReading || full < 0
      ? "its source has given nothing since"
      : `branch ${full + 1} has no room: it is not read`;
  }

  /** Counts a branch as what it is now. */
  #count(branch: Branch): void {
    const { state } = branch;
    if (state === GONE) return;
    const isFull = branch.plan.overflow === "wait" && !hasRoom(branch);
    const now = branch.isAsking ? ASKING : isFull ? FULL : OPEN;
    if (now === state) return;
    branch.state = now;
    this.#counts[state]!--;
    this.#counts[now]!++;
  }

  #leave(branch: Branch): void {
    if (!this.#open.delete(branch)) return;
    this.#counts[branch.state]!--;
    branch.state = GONE;
  }

  #read(): void {
    if (this.#isReading || this.#ending !== undefined || !this.#isWanted()) return;
    this.#isReading = true;
    const isTurn = this.#open.size === 0 && this.#readAlone++ % chunksPerTurn === 0;
    if (isTurn) setTimeout(() => this.#source.take(this.#observer));
    else this.#source.take(this.#observer);
  }

  /** Whether a chunk has somewhere to go. */
  #isWanted(): boolean {
    if (this.#open.size === 0) return this.#options.runAlone === true;
    return this.#counts[ASKING]! > 0 && this.#counts[FULL] === 0;
  }

  readonly #observer: ReadObserver = {
    onChunk: (chunk) => {
      if (this.#ending !== undefined) return;
      this.#keep(chunk);
      for (const branch of this.#open) {
        if (!branch.isAsking && !this.#makeRoom(branch)) continue;
        branch.waiting.push(chunk);
        this.#count(branch);
      }
      this.#answerAll();
      this.#read();
    },
    onEnd: () => this.#end({ failed: false }),
    onFailure: (reason) => this.#end({ failed: true, reason }),
  };

  #keep(chunk: unknown): void {
    const { replay = 0 } = this.#options;
    if (replay === 0) return;
    if (this.#last.length === replay) this.#last.shift();
    this.#last.push(chunk);
  }

  /** Whether a branch takes a chunk, which may make it drop others, or end. */
  #makeRoom(branch: Branch): boolean {
    const { plan: { overflow, highWaterMark }, waiting } = branch;
    if (overflow === "wait" || hasRoom(branch)) return true;
    if (overflow === "fail") {
      const full = `the branch is full, its highWaterMark is ${highWaterMark}`;
      branch.failure = { failed: true, reason: new RangeError(`Cannot take a chunk: ${full}`) };
      this.#leave(branch);
      return false;
    }
    while (overflow === "dropOldest" && waiting.length > 0 && !hasRoom(branch)) {
      waiting.shift();
      branch.dropped++;
    }
    if (hasRoom(branch)) return true;
    branch.dropped++;
    return false;
  }

  #end(ending: SourceEnding): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#answerAll();
  }

  #answerAll(): void {
    this.#isReading = false;
    for (const branch of this.#open) {
      if (!branch.isAsking) continue;
      const { answer } = branch;
      branch.isAsking = false;
      branch.answer = undefined;
      this.#give(branch);
      this.#count(branch);
      answer?.();
    }
  }

  /** Gives a branch that asks its next chunk or the end; tells whether there was either. */
  #give(branch: Branch): boolean {
    const { controller, waiting } = branch;
    if (waiting.length > 0) {
      const chunk = waiting.shift();
      this.#count(branch);
      controller.enqueue(chunk);
      return true;
    }
    const ending = branch.failure ?? this.#ending;
    if (ending === undefined) return false;
    this.#leave(branch);
    if (ending.failed) controller.error(ending.reason);
    else controller.close();
    return true;
  }
}

function hasRoom({ waiting, plan }: Branch): boolean {
  return waiting.length < plan.highWaterMark;
}
