import { isPromiseLike } from "../is_promise_like.ts";
import { Chain } from "./chain.ts";
import { abortChain } from "./endings.ts";
import { Fifo } from "./fifo.ts";
import type { Input, Output } from "./ports.ts";
import type { PushSink } from "./sink.ts";
import type { PullSource } from "./source.ts";
import { TimedTurn, yieldTurn } from "./turn.ts";

/** What a pipeline did. */
export interface PipelineResult {
  /** Chunks that the source gave. */
  readonly chunksRead: number;
  /** Chunks that the sink took. */
  readonly chunksWritten: number;
  /** From the start to the end of the last stage, the closing of both ends included, in milliseconds. */
  readonly elapsedMs: number;
}

/** One run of `pipeline`: pulls the source while the sink has room, and ends both ends together. */
export class Run implements Input, Output {
  readonly measures = false;
  readonly #source: PullSource;
  readonly #sink: PushSink;
  readonly #chain: Chain;
  readonly #turn = new TimedTurn();
  readonly #pending = new Fifo();
  readonly #startedAtMs = performance.now();
  readonly #done = Promise.withResolvers<void>();
  #chunksRead = 0;
  #chunksWritten = 0;
  #isReading = false;
  #isWriting = false;
  #writing: Promise<void> | undefined;
  #isPaused = false;
  #hasSourceEnded = false;
  #ending: { failed: false } | { failed: true; reason: unknown } | undefined;
  #isSettling = false;
  #cancelling: Promise<{ reason: unknown } | undefined> | undefined;

  constructor(source: PullSource, transformers: readonly unknown[], sink: PushSink) {
    this.#source = source;
    this.#sink = sink;
    this.#chain = new Chain(
      transformers,
      this,
      this,
      this.#turn,
      0,
    );
    this.#chain.resume = () => this.#resume();
  }

  /** Chunks that the source gave so far. */
  get chunksRead(): number {
    return this.#chunksRead;
  }

  async execute(signal: AbortSignal | undefined): Promise<PipelineResult> {
    const onAbort = () => this.#settle({ failed: true, reason: signal!.reason }, true);
    signal?.addEventListener("abort", onAbort);
    void this.#sink.failure?.then(({ reason }) => this.#failSink(reason));
    try {
      this.#chain.start();
      if (this.#sink.ready !== undefined) this.#awaitSink(this.#sink.ready, 0);
      if (signal?.aborted) onAbort();
      this.#resume();
    } catch (reason) {
      this.#settle({ failed: true, reason }, true);
    }
    try {
      await this.#done.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    return {
      chunksRead: this.#chunksRead,
      chunksWritten: this.#chunksWritten,
      elapsedMs: performance.now() - this.#startedAtMs,
    };
  }

  #resume(): void {
    if (this.#isPaused || this.#isSettling) return;
    if (this.#chain.run()) {
      this.#isPaused = true;
      yieldTurn(() => {
        this.#isPaused = false;
        this.#turn.begin();
        this.#drain();
        this.#resume();
      });
    }
  }

  take(): boolean {
    if (this.#isReading) return false;
    try {
      let result = this.#source.next();
      // While nothing has to wait anywhere, the loop stays here.
      while (!isPromiseLike(result)) {
        if (!this.#accept(result)) return false;
        if (!this.#chain.isReady() || this.#turn.isOver()) return true;
        result = this.#source.next();
      }
      this.#isReading = true;
      result.then(
        (result) => {
          this.#isReading = false;
          this.#accept(result);
          this.#resume();
        },
        (reason) => {
          this.#isReading = false;
          this.#failSource(reason);
        },
      );
      return false;
    } catch (reason) {
      this.#failSource(reason);
      return true;
    }
  }

  #accept(result: IteratorResult<unknown, unknown>): boolean {
    if (this.#chain.isStopped) return false;
    if (result.done) {
      this.#hasSourceEnded = true;
      this.#chain.end();
    } else {
      this.#chunksRead++;
      this.#chain.feed(result.value);
    }
    return true;
  }

  #failSource(reason: unknown): void {
    if (this.#hasSourceEnded || this.#cancelling) return;
    this.#hasSourceEnded = true;
    abortChain(this.#chain, reason).catch(() => {});
  }

  stop(reason: unknown): void {
    if (this.#hasSourceEnded || this.#cancelling) return;
    this.#cancelling = (async () => {
      try {
        await this.#source.cancel(reason);
      } catch (reason) {
        return { reason };
      }
    })();
  }

  finish(): void {}

  hasRoom(): boolean {
    return !this.#isWriting && this.#pending.length === 0;
  }

  desiredSize(): number {
    return -this.#pending.length;
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) {
      const chunk = chunks[i];
      if (this.#isWriting || this.#pending.length > 0) this.#pending.push(chunk);
      else if (!this.#isSettling) this.#writeOne(chunk);
    }
  }

  #writeOne(chunk: unknown): void {
    try {
      const result = this.#sink.write(chunk);
      if (result !== undefined && isPromiseLike(result)) this.#awaitSink(result, 1);
      else this.#chunksWritten++;
    } catch (reason) {
      this.#failSink(reason);
    }
  }

  #awaitSink(promise: PromiseLike<unknown>, count: number): void {
    this.#isWriting = true;
    this.#writing = Promise.resolve(promise).then(
      () => {
        this.#isWriting = false;
        this.#chunksWritten += count;
        this.#drain();
        this.#resume();
      },
      (reason) => {
        this.#isWriting = false;
        this.#failSink(reason);
      },
    );
  }

  #drain(): void {
    while (!this.#isWriting && !this.#isSettling && this.#pending.length > 0) {
      if (this.#turn.isOver()) {
        this.#resumeLater();
        return;
      }
      this.#writeOne(this.#pending.shift());
    }
    this.#endIfDrained();
  }

  #resumeLater(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    yieldTurn(() => {
      this.#isPaused = false;
      this.#turn.begin();
      this.#drain();
      this.#resume();
    });
  }

  end(): void {
    this.#ending = { failed: false };
    this.#endIfDrained();
  }

  fail(reason: unknown): void {
    this.#ending = { failed: true, reason };
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (this.#ending === undefined || this.#isWriting || this.#pending.length > 0) return;
    this.#settle(this.#ending, false);
  }

  #failSink(reason: unknown): void {
    this.#settle({ failed: true, reason }, true);
  }

  /** Ends both ends and the run; `atOnce` when the stages between them have not ended by themselves. */
  #settle(ending: { failed: boolean; reason?: unknown }, atOnce: boolean): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#pending.clear();
    if (atOnce) this.#chain.cancel(ending.reason).catch(() => {});
    this.#finish(ending).then(this.#done.resolve, this.#done.reject);
  }

  async #finish(ending: { failed: boolean; reason?: unknown }): Promise<void> {
    let failure = ending.failed ? { reason: ending.reason } : undefined;
    try {
      if (failure) await this.#sink.abort(failure.reason);
      else await this.#sink.close();
    } catch (reason) {
      failure ??= { reason };
    }
    await this.#writing;
    await this.#chain.stopped;
    failure = failure ?? await this.#cancelling;
    await this.#cancelling;
    this.#sink.release();
    if (!this.#cancelling) this.#source.release();
    if (failure) throw failure.reason;
  }
}
