import type { ProbeEvent } from "./types.ts";

/** Keeps the last `capacity` events and forgets the others. */
export class EventRing {
  readonly capacity: number;
  readonly #events: ProbeEvent[] = [];
  /** How many events were ever added. */
  count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** How many of them are forgotten. */
  get dropped(): number {
    return this.count - this.#events.length;
  }

  add(event: ProbeEvent): void {
    if (this.capacity > 0) this.#events[this.count % this.capacity] = event;
    this.count++;
  }

  /** The event that was added as number `index`, counted from 0, if it is still there. */
  at(index: number): ProbeEvent | undefined {
    return index < this.dropped || index >= this.count
      ? undefined
      : this.#events[index % this.capacity];
  }

  toArray(): ProbeEvent[] {
    return Array.from(
      { length: this.#events.length },
      (_, index) => this.at(this.dropped + index)!,
    );
  }
}
