// Over 200 lines: how a run begins, pauses and ends; each step asks how far both its ends are.
import { createDeferred } from "../deferred.ts";
import { Engine } from "../engine/engine.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending, Failure } from "../engine/ports.ts";
import { TimedTurn, yieldTurn } from "../engine/turn.ts";
import { type Chain, Pipe } from "./pipe.ts";
import type { PipelineResult } from "./pipeline_types.ts";
import type { RunOptions } from "./pipeline_options.ts";
import { PullInput } from "./pull_input.ts";
import { PushOutput } from "./push_output.ts";
import type { PushSink } from "./sink.ts";
import type { PullSource } from "./source.ts";

/** One run of `pipeline`: drives the chain between its two ends, and ends them together. */
export class Run {
  readonly #sink: PushSink;
  readonly #options: RunOptions;
  /** Without a stage it is a pipe, and ends as one. */
  readonly #isPipe: boolean;
  readonly #isStreamSource: boolean;
  readonly #input: PullInput;
  readonly #output: PushOutput;
  readonly #chain: Chain;
  readonly #turn = new TimedTurn();
  readonly #startedAtMs = performance.now();
  readonly #done = createDeferred<void>();
  #isStarted = false;
  #isPaused = false;
  #isEnding = false;
  #sinkWasClosed = false;
  #hasAbandoned = false;
  #isOver = false;
  /** How the chain ended while its stages started. */
  #earlyEnding: Ending | undefined;
  #failure: Failure | undefined;

  constructor(
    source: PullSource,
    plans: readonly StagePlan[],
    sink: PushSink,
    options: RunOptions,
  ) {
    this.#sink = sink;
    this.#options = options;
    this.#isPipe = plans.length === 0;
    this.#isStreamSource = source.closed !== undefined;
    const turn = this.#turn;
    this.#input = new PullInput(source, turn, options.preventCancel);
    this.#output = new PushOutput(sink, turn, {
      resume: () => this.#resume(),
      finish: (ending) => this.#end(ending),
      fail: (reason) => this.stop(reason),
    });
    const ends = { input: this.#input, output: this.#output, turn };
    this.#chain = this.#isPipe ? new Pipe(ends) : new Engine({ ...ends, plans, maxQueued: 0 });
    this.#chain.onResume(() => this.#resume());
    this.#input.open(this.#chain, (ending) => {
      if (ending.failed) this.#chain.abort(ending.reason).catch(ignore);
      else this.#chain.end().catch(ignore);
    }, (reason) => this.stop(reason));
    sink.ended?.then(({ reason, wasClosed }) => {
      this.#sinkWasClosed = wasClosed && !this.#isEnding;
      this.stop(reason);
    });
  }

  /** Whether the sink was closed by others. */
  get sinkWasClosed(): boolean {
    return this.#sinkWasClosed;
  }

  /** Chunks that the source gave so far. */
  get chunksRead(): number {
    return this.#input.chunksRead;
  }

  async execute(): Promise<PipelineResult> {
    const { signal } = this.#options;
    const onAbort = () => this.#giveUp(signal!.reason);
    signal?.addEventListener("abort", onAbort);
    try {
      this.#start();
      if (signal?.aborted) onAbort();
      this.#resume();
    } catch (reason) {
      this.stop(reason);
    }
    try {
      await this.#done.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    return {
      chunksRead: this.#input.chunksRead,
      chunksWritten: this.#output.chunksWritten,
      elapsedMs: performance.now() - this.#startedAtMs,
    };
  }

  /** Ends the run before its stages have ended by themselves. */
  stop(reason: unknown): void {
    if (this.#isEnding) return;
    // Known before the stages are cancelled: what they do then may abort the run.
    if (this.#isStarted) this.#failure ??= { failed: true, reason };
    this.#chain.cancel(reason).catch(ignore);
    this.#end({ failed: true, reason });
  }

  /** A start that throws is how the run ends, whatever another start did before. */
  #start(): void {
    try {
      this.#chain.start();
    } finally {
      this.#isStarted = true;
    }
    if (this.#earlyEnding !== undefined) this.#end(this.#earlyEnding);
  }

  #resume(): void {
    if (this.#isPaused || this.#isEnding) return;
    if (!this.#turn.isOver(1) && !this.#chain.run()) return;
    this.#isPaused = true;
    yieldTurn(() => {
      this.#isPaused = false;
      this.#turn.begin();
      this.#output.drain();
      this.#resume();
    });
  }

  #end(ending: Ending): void {
    if (this.#isEnding) return;
    if (!this.#isStarted) {
      this.#earlyEnding = ending;
      return;
    }
    this.#isEnding = true;
    if (ending.failed) this.#failure = ending;
    this.#output.close();
    // At once, where nothing is to be waited for: others may be about to end the sink, too.
    this.#endBoth().then(this.#done.resolve, this.#done.reject);
  }

  /** Ends both ends, and says how it went: by the first failure, if there is one. */
  async #endBoth(): Promise<void> {
    const failed = (reason: unknown) => this.#failure ??= { failed: true, reason };
    let sinkEnded: PromiseLike<unknown> | undefined;
    try {
      sinkEnded = this.#endSink();
    } catch (reason) {
      failed(reason);
    }
    await sinkEnded?.then(undefined, async (reason) => {
      // What was written last is refused also by a stream that was closed before.
      if (this.#failure === undefined) {
        this.#sinkWasClosed = (await this.#sink.ended)?.wasClosed ?? false;
      }
      failed(reason);
    });
    await this.#chain.settled();
    await this.#endSource()?.then(undefined, (reason) => {
      // That a sink was closed is our word for it; how the source failed for that is more to the point.
      if (this.#sinkWasClosed) this.#failure = { failed: true, reason };
      else failed(reason);
    });
    this.#isOver = true;
    if (!this.#hasAbandoned) this.#sink.release();
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  #endSink(): PromiseLike<unknown> | undefined {
    const { preventClose, preventAbort } = this.#options;
    const sink = this.#sink;
    const failure = this.#failure;
    if (failure === undefined) return preventClose ? sink.written() : sink.close();
    const abort = () =>
      preventAbort ? undefined : sink.abort(failure.reason)?.then((own) => {
        if (own !== undefined) this.#failure = own;
      });
    // What was handed over is written first, as by `pipeTo`; if that fails, it failed before what came after it.
    const written = sink.isStream ? sink.written() : this.#output.waiting;
    if (written === undefined) return abort();
    return written.then(abort, (reason) => {
      this.#failure = { failed: true, reason };
    });
  }

  #endSource(): Promise<unknown> | undefined {
    const cancelled = this.#input.release();
    const isWhole = this.#isPipe && this.#sink.isStream && !this.#options.isPart;
    if (cancelled === undefined || !this.#isStreamSource || isWhole) return cancelled;
    // Half of a `tee` answers only when the other half is cancelled, too: a stream gets a turn to say how it went.
    return Promise.race([cancelled, new Promise<void>(yieldTurn)]);
  }

  /** Ends the run within a turn of the event loop, whatever hangs. */
  #giveUp(abortReason: unknown): void {
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.#failure ??= { failed: true, reason: abortReason };
      // What a source that is left open gives from now on is not ours to take; what it has given is written.
      if (this.#options.preventCancel) this.#input.stop(abortReason);
      else this.#output.close();
      // Stages that are being called are given up at once; the ends never: a generator that aborts its own run is
      // still running, and a write is still being called.
      if (this.#sink.written() === undefined) {
        this.#input.holdWhile(() => this.#chain.giveUp(abortReason));
      }
      const abandon = () => this.#abandonEnds();
      void Promise.resolve().then(() => {
        this.#output.close();
        // What was handed over is written first, if it takes no longer than this turn.
        Promise.resolve(this.#sink.written()).then(abandon, abandon);
      });
    }
    yieldTurn(() => {
      if (this.#isOver) return;
      const { reason } = this.#failure ??= { failed: true, reason: abortReason };
      this.#abandonEnds();
      this.#done.reject(reason);
    });
  }

  /** Ends both ends and lets go of them, without waiting for how that goes. */
  #abandonEnds(): void {
    if (this.#hasAbandoned) return;
    this.#hasAbandoned = true;
    const { reason } = this.#failure!;
    if (!this.#options.preventAbort) this.#sink.abort(reason)?.then(undefined, ignore);
    this.#chain.giveUp(reason);
    this.#input.stop(reason);
    this.#input.release()?.catch(ignore);
    this.#sink.release();
  }
}

function ignore(): void {}
