import type { Chain } from "./chain.ts";
import { failStage, terminateStage } from "./endings.ts";
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
    const next = chain.stages[stage.index + 1];
    const room = next === undefined ? chain.output.desiredSize() : -next.queue.length;
    return room - (stage.collector?.count ?? 0);
  }

  enqueue(chunk?: unknown): void {
    const slice = this.#stage.collector;
    if (slice !== undefined) slice.items[slice.count++] = chunk;
    else this.#enqueueLate(chunk);
  }

  /** Takes a chunk enqueued while the stage does not run, or one that must be measured at once. */
  #enqueueLate(chunk: unknown): void {
    const stage = this.#stage;
    if (stage.isClosed) {
      throw new TypeError("Cannot enqueue: the readable side is closed, cancelled or errored");
    }
    try {
      this.#chain.emit(stage, chunk);
    } catch (reason) {
      failStage(this.#chain, stage, reason);
      throw reason;
    }
  }

  error(reason?: unknown): void {
    failStage(this.#chain, this.#stage, reason);
  }

  terminate(): void {
    terminateStage(this.#chain, this.#stage);
  }
}
