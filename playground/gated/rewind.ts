import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** How many events can be gone back to. */
export const keptEvents = 2000;

/** The way back through what happened. */
export abstract class Rewind {
  /** What is gone back to: the events as they were then, and which of them is shown. */
  readonly past: Signal<{ events: readonly ProbeEvent[]; index: number } | undefined> = signal();
  /** The event that is shown; `undefined` for the present. */
  readonly shown: ReadonlySignal<ProbeEvent | undefined> = computed(() => {
    const past = this.past.value;
    return past?.events[past.index];
  });

  /** How many events there were. */
  abstract get count(): number;
  /** Those that are kept. */
  abstract events(): readonly ProbeEvent[];
  /** The last of them, for a log. */
  abstract lastEvents(): readonly ProbeEvent[];

  /** Goes back to one of the events that are kept, counted from 0; the last of them is not yet the present. */
  goBack(index: number): void {
    const events = this.past.value?.events ?? this.events();
    if (events.length === 0) return;
    this.past.value = { events, index: Math.min(Math.max(0, index), events.length - 1) };
  }

  /** Returns to the present. */
  goOn(): void {
    this.past.value = undefined;
  }
}
