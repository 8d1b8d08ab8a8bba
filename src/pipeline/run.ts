import { createDeferred } from "../deferred.ts";
import { Engine } from "../engine/engine.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import type { FirstFailure } from "../engine/first_failure.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending, Failure } from "../engine/ports.ts";
import { noteFailure } from "../engine/note_failure.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import { TimedTurnBudget, yieldTurn } from "../engine/turn_budget.ts";
import { makeResult, type QuickRun } from "./quick_run.ts";
import { type Chain, Pipe } from "./pipe.ts";
import type { PipelineResult } from "./pipeline_types.ts";
import type { RunOptions } from "./pipeline_options.ts";
import { keepRun } from "./keep_runs.ts";
import type { EndPhase, RunLook } from "./run_waits.ts";
import { PullInput } from "./pull_input.ts";
import { type OutputEvents, PushOutput } from "./push_output.ts";
import type { PushSink } from "./sink.ts";
import type { PullSource } from "../source/open_source.ts";
import { TurnDriver } from "./turn_driver.ts";
import { watchSignal } from "../watch_signal.ts";

/**
 * Where a run stands. It is "starting" until each stage's `start` was called, and then "running". How it ends, by its
 * end, a failure or a signal, is known before anything is ended: then the ends are ended one after the other, first the
 * "sink", then what the "stages" cancel, then the "source". Or it is "aborted": the ends have this turn of the event
 * loop. Then it is "over".
 */
type State = "starting" | "running" | EndPhase | "aborted" | "over";

/** One run of `pipeline`: drives the chain between its two ends, and ends them together. */
export class Run extends TurnDriver implements OutputEvents {
  readonly #sink: PushSink;
  readonly #options: RunOptions;
  /** Without a stage it is a pipe, and ends as one. */
  readonly #isPipe: boolean;
  readonly #isStreamSource: boolean;
  #isRunning = false;
  readonly #input: PullInput;
  readonly #output: PushOutput;
  readonly #chain: Chain;
  readonly #startedAtMs: number;
  readonly #begun: QuickRun | undefined;
  readonly #done = createDeferred<void>();
  /** Called when something may have changed. */
  onChange: (() => void) | undefined = undefined;
  #state: State = "starting";
  /** Whether the sink was closed by others. */
  sinkWasClosed = false;
  /** Nothing waits for the ends any more. */
  #hasAbandoned = false;
  /** How the chain ended while its stages started. */
  #earlyEnding: Ending | undefined;
  readonly #first: FirstFailure;
  readonly #place: RunPlace;
  /** What the sink was given before the first failure, if that is still being written. */
  #earlier: PromiseLike<unknown> | undefined;
  /** What cancelling the source failed with. */
  cancelFailure: Failure | undefined;

  constructor(
    source: PullSource,
    plans: readonly StagePlan[],
    sink: PushSink,
    options: RunOptions,
    first: FirstFailure,
    place: RunPlace,
    begun?: QuickRun,
  ) {
    const turn = begun?.turn ?? new TimedTurnBudget();
    super(turn);
    this.#begun = begun;
    this.#startedAtMs = turn.startedAtMs;
    this.#first = first;
    this.#place = place;
    first.watcher = this;
    this.#sink = sink;
    this.#options = options;
    this.#isPipe = plans.length === 0;
    this.#isStreamSource = source.closed !== undefined;
    this.#input = new PullInput(source, turn, options.preventCancel);
    this.#output = new PushOutput(sink, turn, this);
    const { call } = place;
    if (this.#isStreamSource && place.from === 0) {
      endMeaningOf(call.source as object)?.attach?.(this as never);
    }
    call.input ??= this.#input;
    call.output = this.#output;
    call.startedAtMs ??= this.#startedAtMs;
    const ends = { input: this.#input, output: this.#output, turn };
    this.#chain = this.#isPipe ? new Pipe(ends) : new Engine({
      ...ends,
      plans,
      maxQueued: 0,
      firstFailure: this.#first,
      place,
    });
    this.#chain.driver = this;
    this.#input.open(this.#chain, (ending) => {
      if (ending.failed) void this.#chain.abort(this.#noteSource(ending.reason).reason);
      else void this.#chain.end();
    }, (reason) => this.#stop(this.#first.note(reason).reason));
    sink.ended?.then(({ reason, wasClosed }) => {
      if (this.isStopped()) return;
      this.sinkWasClosed = wasClosed;
      this.fail(reason);
      // A stream that has failed by itself says why; its writes do not know better.
      this.#earlier = undefined;
    });
  }

  /** Chunks that the source gave so far. */
  get chunksRead(): number {
    return this.#input.chunksRead;
  }

  async execute(): Promise<PipelineResult> {
    const { signal } = this.#options;
    const onAbort = () => this.#abandon(signal!.reason);
    // Aborted before: that is first, whatever a stage does as it starts.
    if (signal?.aborted) this.#first.note(signal.reason);
    const unwatch = signal && watchSignal(signal, onAbort);
    const handleEnd = keepRun(this, this.#place.call);
    try {
      this.#start();
      const begun = this.#begun;
      // The abort came within the call of a stage, before its answer, or of a sink, which goes on with its chunk.
      const isLate = signal?.aborted && begun?.answer === undefined;
      if (isLate) onAbort();
      if (begun !== undefined) this.#enter(begun);
      if (signal?.aborted && !isLate) onAbort();
      this.resume();
    } catch (reason) {
      this.#stop(this.#first.note(reason).reason);
    }
    try {
      await this.#done.promise;
    } finally {
      unwatch?.();
      handleEnd();
      this.onChange?.();
    }
    return this.addCounts(
      makeResult(this.#input.chunksRead, this.#output.chunksWritten, this.#startedAtMs),
    );
  }

  /** How far it is. */
  look(): RunLook {
    const state = this.#state;
    return {
      place: this.#place,
      input: this.#input,
      output: this.#output,
      stages: this.#chain.stages,
      phase: state === "sink" || state === "stages" || state === "source" ? state : undefined,
      hasFailed: this.#first.failure !== undefined,
      startedAtMs: this.#startedAtMs,
      movedAtMs: this.turn.lookedAtMs,
    };
  }

  /** Adds what the stages have counted. */
  addCounts(result: PipelineResult): PipelineResult {
    this.#chain.addCounts(result);
    return result;
  }

  /** Goes on with what has begun without it. */
  #enter({ chunksRead, chunksWritten, entry, answer }: QuickRun): void {
    this.#input.chunksRead = chunksRead;
    this.#output.chunksWritten = chunksWritten;
    if (answer !== undefined) this.#output.answerFirst(answer);
    if (entry !== undefined) this.#chain.enter(entry);
  }

  /** Ends this part of a run, for a reason that is known outside of it. */
  stop(reason: unknown): void {
    if (!this.isStopped()) this.#stop(this.#first.noteHere(reason).reason);
  }

  /** Ends the run before its stages have ended by themselves. */
  #stop(reason: unknown): void {
    if (this.isStopped()) return;
    void this.#chain.cancel(reason);
    this.finish({ failed: true, reason });
  }

  /** The sink has failed, of a function the given write. */
  fail(reason: unknown, write?: PromiseLike<unknown>): void {
    if (this.isStopped()) return;
    const earlier = this.#earlier;
    if (earlier !== undefined && (this.#sink.isStream || write === earlier)) {
      this.#noteEarlier(reason, "sink");
    }
    // Known before the stages are cancelled: what they do then may abort the run.
    this.#stop(this.#noteSink(reason).reason);
  }

  /** The sink has failed; what a pair fails with comes out of it. */
  #noteSink(reason: unknown): Failure {
    const at = noteFailure(reason, this.#place, "sink");
    return this.#options.isBeforePair ? this.#first.noteHere(reason) : this.#first.note(reason, at);
  }

  #noteSource(reason: unknown): Failure {
    return this.#first.note(reason, noteFailure(reason, this.#place, "source"));
  }

  #noteEarlier(reason: unknown, side: "source" | "sink"): void {
    this.#first.noteEarlier(reason, noteFailure(reason, this.#place, side));
  }

  /** What the sink was given before anything failed may still fail, and then has failed first. */
  noteFirst(): void {
    if (this.#options.isBeforePair) return;
    const written = this.#earlier = this.written();
    const note = (reason: unknown) => {
      if (this.#earlier === written) {
        this.#noteEarlier(reason, "sink");
      }
      this.#earlier = undefined;
    };
    written?.then(() => this.#earlier = undefined, async (reason) => {
      const end = await this.#sink.ended;
      note(end === undefined || end.wasClosed ? reason : end.reason);
    });
  }

  /** What was handed over and is not written yet. */
  written(): PromiseLike<unknown> | undefined {
    return this.#sink.isStream ? this.#sink.written() : this.#output.waiting;
  }

  /** A start that throws is how the run ends, whatever another start did before. */
  #start(): void {
    try {
      this.#chain.start();
    } finally {
      if (this.#state === "starting") this.#state = "running";
    }
    if (this.#earlyEnding !== undefined && !this.#options.signal?.aborted) {
      this.finish(this.#earlyEnding);
    }
  }

  override resume(): void {
    super.resume();
    this.onChange?.();
  }

  override handleChange(): void {
    if (!this.#isRunning && !this.isStopped()) this.#output.flush();
    this.onChange?.();
  }

  /** Whether how it ends is known. */
  protected override isStopped(): boolean {
    return this.#state !== "running" && this.#state !== "starting";
  }

  protected override run(): boolean {
    const isOuter = !this.#isRunning;
    this.#isRunning = true;
    const isOver = this.turn.isOver(1) || this.#chain.run();
    if (!isOuter) return isOver;
    this.#isRunning = false;
    // What was joined is handed over once all is done that goes on within.
    if (!this.isStopped()) this.#output.flush();
    return isOver;
  }

  protected override drain(): void {
    this.#output.drain();
  }

  /** The chain has ended, and everything is handed over. */
  finish(ending: Ending): void {
    if (this.isStopped()) return;
    if (this.#state === "starting") {
      this.#earlyEnding = ending;
      return;
    }
    this.#state = "sink";
    if (ending.failed) this.#first.noteHere(ending.reason);
    else this.#first.forget();
    this.#output.close();
    // At once, where nothing is to be waited for: others may be about to end the sink, too.
    this.#endBoth().then(this.#done.resolve, this.#done.reject);
  }

  /** Ends both ends, and says how it went: by the first failure, if there is one. */
  async #endBoth(): Promise<void> {
    let sinkEnded: PromiseLike<unknown> | undefined;
    try {
      sinkEnded = this.#endSink();
    } catch (reason) {
      this.#noteSink(reason);
    }
    await sinkEnded?.then(undefined, async (reason) => {
      // What was written last is refused also by a stream that was closed before.
      if (this.#first.failure === undefined) {
        this.sinkWasClosed = (await this.#sink.ended)?.wasClosed ?? false;
      }
      this.#noteSink(reason);
    });
    this.#state = "stages";
    await this.#chain.whenSettled();
    this.#state = "source";
    await this.#endSource()?.then(undefined, (reason) => {
      // That a sink was closed is our word for it; how the source failed for that is more to the point.
      this.cancelFailure = { failed: true, reason };
      if (this.sinkWasClosed && !this.#options.isBeforePair) {
        this.#noteEarlier(reason, "source");
      } else this.#noteSource(reason);
    });
    this.#state = "over";
    if (!this.#hasAbandoned) this.#sink.release();
    const { failure } = this.#first;
    if (failure !== undefined) throw failure.reason;
  }

  #endSink(): PromiseLike<unknown> | undefined {
    const { preventClose, preventAbort } = this.#options;
    const sink = this.#sink;
    const { failure } = this.#first;
    if (failure === undefined) {
      if (!preventClose) return sink.close();
      return sink.leave === undefined ? sink.written() : sink.leave();
    }
    const abort = () =>
      preventAbort ? undefined : sink.abort(failure.reason)?.then((own) => {
        if (own === undefined || this.#options.isBeforePair) return;
        this.#noteEarlier(own.reason, "sink");
      });
    // What was handed over is written first, as by `pipeTo`.
    const written = this.written();
    if (written === undefined) return abort();
    return written.then(abort, ignore);
  }

  #endSource(): Promise<unknown> | undefined {
    const cancelled = this.#input.release();
    const isWhole = this.#isPipe && this.#sink.isStream && !this.#options.isPart;
    if (cancelled === undefined || !this.#isStreamSource || isWhole) return cancelled;
    // Half of a `tee` answers only when the other half is cancelled, too: a stream gets a turn to say how it went.
    return Promise.race([cancelled, new Promise<void>(yieldTurn)]);
  }

  /** Ends the run within a turn of the event loop, even if something hangs. */
  #abandon(abortReason: unknown): void {
    if (!this.isStopped()) {
      this.#state = "aborted";
      const isFirst = this.#first.failure === undefined;
      const { reason } = this.#first.note(abortReason);
      // Whatever a write does in this turn, the signal is why it ends.
      if (isFirst) this.#earlier = undefined;
      // What a source that is left open gives from now on is not ours to take; what it has given is written.
      if (this.#options.preventCancel) this.#input.stop(reason);
      else this.#output.close();
      // Stages that are being called are given up at once; the ends never: a generator that aborts its own run is
      // still running, and a write is still being called.
      if (this.#sink.written() === undefined) {
        this.#input.holdWhile(() => this.#chain.abandon(reason));
      }
      const abandon = () => this.#abandonEnds();
      void Promise.resolve().then(() => {
        this.#output.close();
        // What was handed over is written first, if it takes no longer than this turn.
        Promise.resolve(this.#sink.written()).then(abandon, abandon);
      });
    }
    yieldTurn(() => {
      if (this.#state === "over") return;
      const { reason } = this.#first.note(abortReason);
      this.#abandonEnds();
      this.#done.reject(reason);
    });
  }

  /** Ends both ends and lets go of them, without waiting for how that goes. */
  #abandonEnds(): void {
    if (this.#hasAbandoned) return;
    this.#hasAbandoned = true;
    const { reason } = this.#first.failure!;
    if (!this.#options.preventAbort) this.#sink.abort(reason)?.then(undefined, ignore);
    this.#chain.abandon(reason);
    this.#input.stop(reason);
    this.#input.release()?.catch(ignore);
    this.#sink.release();
  }
}

function ignore(): void {}
