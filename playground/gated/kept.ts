import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { Rewind } from "./rewind.ts";

/** Events that were recorded elsewhere. */
export class Kept extends Rewind {
  readonly #events: readonly ProbeEvent[];

  constructor(events: readonly ProbeEvent[]) {
    super();
    this.#events = events;
  }

  override get count(): number {
    return this.#events.length;
  }

  override events(): readonly ProbeEvent[] {
    return this.#events;
  }

  override lastEvents(): readonly ProbeEvent[] {
    return this.#events.slice(-40);
  }
}
