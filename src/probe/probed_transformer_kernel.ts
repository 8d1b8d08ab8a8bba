import { type TransformerHost, TransformerKernel } from "../kernels/transformer.ts";
import type { StageEvents } from "./stage_events.ts";

/** The kernel of a dictionary's own `transform`, which looks at the chunks itself: here the end alone is looked at. */
export class ProbedTransformerKernel extends TransformerKernel {
  readonly #events: StageEvents;

  constructor(host: TransformerHost, events: StageEvents) {
    super(host);
    this.#events = events;
  }

  override stop(reason: unknown): void {
    this.#events.fail("cancel", reason);
    super.stop(reason);
  }
}
