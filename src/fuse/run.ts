import type { PipelineResult } from "../pipeline/pipeline_types.ts";
import { Chain } from "./chain.ts";
import { PullInput } from "./pull_input.ts";
import { PushOutput } from "./push_output.ts";
import type { PushSink } from "./sink.ts";
import type { PullSource } from "./source.ts";
import type { Ending } from "./stage.ts";
import { TimedTurn, yieldTurn } from "./turn.ts";

/** One run of `pipeline`: drives the chain between its two ends, and ends them together. */
export class Run {
  readonly #sink: PushSink;
  readonly #input: PullInput;
  readonly #output: PushOutput;
  readonly #chain: Chain;
  readonly #turn = new TimedTurn();
  readonly #startedAtMs = performance.now();
  readonly #done = Promise.withResolvers<void>();
  #isPaused = false;
  #isEnding = false;

  constructor(source: PullSource, transformers: readonly unknown[], sink: PushSink) {
    this.#sink = sink;
    this.#input = new PullInput(source, this.#turn);
    this.#output = new PushOutput(sink, this.#turn, {
      resume: () => this.#resume(),
      finish: (ending) => this.#end(ending),
      fail: (reason) => this.#stop(reason),
    });
    this.#chain = new Chain(transformers, this.#input, this.#output, this.#turn, 0);
    this.#chain.resume = () => this.#resume();
    this.#input.open(this.#chain);
  }

  /** Chunks that the source gave so far. */
  get chunksRead(): number {
    return this.#input.chunksRead;
  }

  async execute(signal: AbortSignal | undefined): Promise<PipelineResult> {
    const onAbort = () => this.#stop(signal!.reason);
    signal?.addEventListener("abort", onAbort);
    try {
      this.#chain.start();
      if (signal?.aborted) onAbort();
      this.#resume();
    } catch (reason) {
      this.#stop(reason);
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

  /** Ends the run before its stages have ended by themselves. */
  #stop(reason: unknown): void {
    if (this.#isEnding) return;
    this.#chain.cancel(reason).catch(() => {});
    this.#end({ failed: true, reason });
  }

  #end(ending: Ending): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#output.close();
    this.#endBoth(ending).then(this.#done.resolve, this.#done.reject);
  }

  async #endBoth(ending: Ending): Promise<void> {
    let failure = ending.failed ? { reason: ending.reason } : undefined;
    try {
      if (failure) await this.#sink.abort(failure.reason);
      else await this.#sink.close();
    } catch (reason) {
      failure ??= { reason };
    }
    await this.#output.settled;
    await this.#chain.stopped;
    const cancelFailure = await this.#input.release();
    this.#sink.release();
    failure ??= cancelFailure;
    if (failure) throw failure.reason;
  }
}
