import { Condition } from "../condition.ts";
import { Demand } from "../kernels/demand.ts";
import type { Counts } from "../kernels/kernel.ts";
import type { ThreadCounts } from "../thread_counts.ts";
import type { Block } from "./record_cutter.ts";
import { type CarriedError, type ErrorClass, reviveError } from "./carry_error.ts";
import { leavesBusyThreads } from "./node_threads.ts";
import type { ThreadPool } from "./thread.ts";
import { findUncloneable } from "./find_uncloneable.ts";

/** What is done about a block that takes too long: the run fails, or goes on without what the block would give. */
export type TimeoutAnswer = "fail" | "skip";

/** How the blocks of one stream are run. */
export interface BlockSettings {
  readonly pool: ThreadPool;
  readonly threads: number;
  readonly ordered: boolean;
  readonly maxBlocks: number;
  /** Whether buffers are handed over: those of blocks that were made here, or all if asked for. */
  readonly transfers: "none" | "own" | "all";
  readonly timeoutMs: number | undefined;
  readonly onTimeout: ((index: number, chunks: readonly unknown[]) => TimeoutAnswer) | undefined;
  readonly errorClasses: readonly ErrorClass[];
  /** Given how long a block of so many chunks took. */
  learn(size: number, busyMs: number): void;
}

/** A block in flight, and what has come of it. */
interface Flight {
  readonly block: Block;
  readonly index: number;
  readonly parts: (readonly unknown[])[];
  hasGiven: boolean;
  isDone: boolean;
  failure: { readonly reason: unknown } | undefined;
  thread: { cancel(): void; askMore(): void; readonly isThread: boolean } | undefined;
}

function buffersOf(chunks: readonly unknown[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const chunk of chunks) {
    if (!ArrayBuffer.isView(chunk)) continue;
    const { buffer, byteLength } = chunk;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.add(buffer);
  }
  return [...buffers];
}

/** The blocks of one stream that are in flight, and the order in which what they made goes on. */
export class BlockRun {
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #settings: BlockSettings;
  readonly #demand: Demand;
  readonly #onFailed: (reason: unknown) => void;
  readonly #flights: Flight[] = [];
  readonly #changed = new Condition();
  readonly #counts: ThreadCounts = {
    blocks: 0,
    blocksInPlace: 0,
    blocksSkipped: 0,
    busyMs: 0,
    threadsLeftBehind: 0,
  };
  /** Fulfils or rejects when all in flight has gone on. */
  #passing: Promise<void> | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #begun = 0;
  #isOver = false;

  /** To be made by `start`. `onFailed` is called when a block has failed and its turn has come. */
  constructor(
    controller: TransformStreamDefaultController<unknown>,
    settings: BlockSettings,
    onFailed: (reason: unknown) => void,
  ) {
    this.#controller = controller;
    this.#settings = settings;
    this.#demand = new Demand(controller);
    this.#onFailed = onFailed;
  }

  /** Whether a thread has nothing to do. */
  get hasIdle(): boolean {
    const { pool, threads, maxBlocks } = this.#settings;
    return !this.#isOver && this.#flights.length < maxBlocks && pool.hasIdle(threads);
  }

  /** Gives a block to a thread; answers when there is room for another. */
  add(block: Block): void | Promise<void> {
    if (this.#isOver) return this.room();
    const flight: Flight = {
      block,
      index: this.#begun++,
      parts: [],
      hasGiven: false,
      isDone: false,
      failure: undefined,
      thread: undefined,
    };
    this.#flights.push(flight);
    this.#send(flight);
    this.#passing ??= this.#passOn();
    // `room` and `finish` say it; what nothing waits for fails the stream.
    this.#passing.catch(() => {});
    return this.room();
  }

  /** Answers when there is room for another block; rejects if one has failed. */
  room(): void | Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#flights.length >= this.#settings.maxBlocks) return this.#waitForRoom();
  }

  /** Answers when all has gone on. */
  async finish(): Promise<void> {
    await this.#passing;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** What it waits for. */
  waiting(): string | undefined {
    const { length } = this.#flights;
    if (length === 0) return undefined;
    const { pool, threads } = this.#settings;
    return `${length} ${length === 1 ? "block" : "blocks"} in flight, ` +
      `${pool.busyCount} of ${threads} threads at work, ` +
      `${(this.#counts.busyMs / 1000).toFixed(1)} s of work so far`;
  }

  /** Nothing is wanted any more. */
  stop(): void {
    this.#isOver = true;
    for (const { thread } of this.#flights.splice(0)) thread?.cancel();
    this.#changed.notifyAll();
  }

  /** Adds what has been done to what other stages of the run have. */
  addCounts(counts: Counts): void {
    const sum: ThreadCounts = { ...this.#counts };
    for (const [name, count] of Object.entries(counts.threads ?? {})) {
      sum[name as keyof ThreadCounts] += count;
    }
    counts.threads = sum;
  }

  async #waitForRoom(): Promise<void> {
    await this.#changed.until(() =>
      this.#isOver || this.#flights.length < this.#settings.maxBlocks
    );
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  #send(flight: Flight): void {
    const { pool, threads, transfers, errorClasses } = this.#settings;
    const { chunks } = flight.block;
    const fail = (reason: unknown) => {
      flight.failure = { reason };
      this.#changed.notifyAll();
    };
    try {
      flight.thread = pool.run({
        chunks,
        transfer: transfers === "none" ? [] : buffersOf(chunks),
        onPart: (part, isLast, busyMs) => {
          flight.parts.push(part);
          flight.isDone = isLast;
          if (isLast) {
            this.#counts.busyMs += busyMs;
            this.#settings.learn(flight.block.size, busyMs);
          }
          this.#changed.notifyAll();
        },
        onFailure: (error: CarriedError) => fail(reviveError(error, errorClasses)),
        onGone: fail,
        onTimeout: () => this.#timeOut(flight, fail),
        onLost: () => {
          if (flight.hasGiven || flight.parts.length > 0) {
            fail(
              new Error(`Block ${flight.index} is lost: its thread was ended for another block`),
            );
          } else this.#send(flight);
        },
      }, threads);
    } catch (error) {
      const place = findUncloneable(chunks, "chunks");
      fail(
        place === undefined
          ? error
          : new TypeError(`Cannot send block ${flight.index} to a thread: ${place}`, {
            cause: error,
          }),
      );
    }
  }

  #timeOut(flight: Flight, fail: (reason: unknown) => void): void {
    const { timeoutMs, onTimeout } = this.#settings;
    if (leavesBusyThreads && flight.thread!.isThread) this.#counts.threadsLeftBehind++;
    try {
      const answer = onTimeout?.(flight.index, flight.block.chunks) ?? "fail";
      if (answer === "skip") {
        this.#counts.blocksSkipped++;
        flight.isDone = true;
        this.#changed.notifyAll();
        return;
      }
    } catch (error) {
      return fail(error);
    }
    const text =
      `Block ${flight.index} has taken longer than ${timeoutMs} ms; its thread was ended`;
    fail(new DOMException(text, "TimeoutError"));
  }

  /** The block whose turn it is. */
  #next(): Flight | undefined {
    if (this.#settings.ordered) return this.#flights[0];
    return this.#flights.find(({ parts, isDone, failure }) =>
      parts.length > 0 || isDone || failure !== undefined
    ) ?? this.#flights[0];
  }

  /** Passes on what comes, as long as anything is in flight. */
  async #passOn(): Promise<void> {
    try {
      while (this.#flights.length > 0) {
        const flight = this.#next()!;
        const part = flight.parts.shift();
        if (part !== undefined) {
          if (part.length > 0) await this.#giveOn(part);
          flight.hasGiven = true;
          if (!flight.isDone && flight.failure === undefined) flight.thread?.askMore();
        } else if (flight.failure !== undefined) throw flight.failure.reason;
        else if (flight.isDone) {
          this.#counts.blocks++;
          if (!flight.thread!.isThread) this.#counts.blocksInPlace++;
          const at = this.#flights.indexOf(flight);
          if (at !== -1) this.#flights.splice(at, 1);
          this.#changed.notifyAll();
        } else await this.#changed.wait();
      }
    } catch (reason) {
      if (this.#isOver) return;
      this.#failure = { reason };
      this.stop();
      this.#onFailed(reason);
      throw reason;
    } finally {
      // At once: a block that comes now needs another passing.
      this.#passing = undefined;
    }
  }

  async #giveOn(part: readonly unknown[]): Promise<void> {
    const demand = this.#demand;
    if (!demand.isThere()) await demand.until(() => this.#isOver || demand.isThere());
    if (this.#isOver) return;
    for (const chunk of part) this.#controller.enqueue(chunk);
  }
}
