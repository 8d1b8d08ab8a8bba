import { type Probe, probe, type ProbeEvent } from "@hosepipe/streams";
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GateClock } from "./gate_clock.ts";

/** How many events can be gone back. */
export const keptEvents = 2000;
/** How many of them the log shows. */
const loggedEvents = 40;

/** What a probe sees of a run: the present, and what was, as long as it is kept. */
export class Recorded {
  readonly look: Probe;
  /** The last events, for the log. */
  readonly log: ProbeEvent[] = [];
  /** How many events there were. */
  count = 0;
  /** What is gone back to: the events as they were then, and which of them is shown. */
  readonly past: Signal<{ events: readonly ProbeEvent[]; index: number } | undefined> = signal();
  /** The event that is shown; `undefined` for the present. */
  readonly shown: ReadonlySignal<ProbeEvent | undefined> = computed(() => {
    const past = this.past.value;
    return past?.events[past.index];
  });

  constructor(clock: GateClock) {
    this.look = probe({
      capacity: keptEvents,
      now: () => clock.now(),
      onEvent: (event) => {
        this.count++;
        this.log.push(event);
        if (this.log.length > loggedEvents) this.log.shift();
      },
    });
  }

  /** Goes back to one of the events that are kept, counted from 0; the last of them is not yet the present. */
  goBack(index: number): void {
    const events = this.past.value?.events ?? this.look.events();
    if (events.length === 0) return;
    this.past.value = { events, index: Math.min(Math.max(0, index), events.length - 1) };
  }

  /** Returns to the present. */
  goOn(): void {
    this.past.value = undefined;
  }
}
