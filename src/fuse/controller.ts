import type { Chain } from "./chain.ts";
import type { Stage } from "./stage.ts";

/** The controller a fused transformer is given: to it, a `TransformStreamDefaultController` like any other. */
export class StageController implements TransformStreamDefaultController<unknown> {
  readonly #chain: Chain;
  readonly #stage: Stage;

  constructor(chain: Chain, stage: Stage) {
    this.#chain = chain;
    this.#stage = stage;
  }

  get desiredSize(): number | null {
    const chain = this.#chain;
    const stage = this.#stage;
    if (stage.isClosed) return stage.hasFailed ? null : 0;
    const collected = chain.collector === stage ? chain.spareCount : 0;
    const next = chain.stages[stage.index + 1];
    return (next === undefined ? chain.output.desiredSize() : -next.queue.length) - collected;
  }

  enqueue(chunk?: unknown): void {
    const chain = this.#chain;
    const stage = this.#stage;
    if (stage.isClosed) {
      throw new TypeError("Cannot enqueue: the readable side is closed, cancelled or errored");
    }
    if (chain.collector === stage) {
      chain.spare[chain.spareCount++] = chunk;
      return;
    }
    try {
      chain.emit(stage, chunk);
    } catch (reason) {
      chain.failStage(stage, reason);
      throw reason;
    }
  }

  error(reason?: unknown): void {
    this.#chain.failStage(this.#stage, reason);
  }

  terminate(): void {
    this.#chain.terminateStage(this.#stage);
  }
}
