import { type Probe, probe, type ProbeEvent } from "@hosepipe/streams/inspect";
import type { GateClock } from "./gate_clock.ts";
import { keptEvents, Rewind } from "./rewind.ts";

/** How many events the log keeps at hand. */
const loggedEvents = 40;

/** What a probe sees of a run: the present, and what was, as long as it is kept. */
export class Recorded extends Rewind {
  readonly look: Probe;
  readonly #last: ProbeEvent[] = [];
  #count = 0;

  constructor(clock: GateClock) {
    super();
    this.look = probe({
      capacity: keptEvents,
      now: () => clock.now(),
      onEvent: (event) => {
        this.#count++;
        this.#last.push(event);
        if (this.#last.length > loggedEvents) this.#last.shift();
      },
    });
  }

  override get count(): number {
    return this.#count;
  }

  override events(): readonly ProbeEvent[] {
    return this.look.events();
  }

  override lastEvents(): readonly ProbeEvent[] {
    return [...this.#last];
  }
}
