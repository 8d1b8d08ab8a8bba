import type { Demo } from "./demos.ts";
import type { DemoClock } from "./demo_clock.ts";

/** The work of a demo's stages, the same on either API. */
export class MessageWork {
  readonly #demo: Demo;
  readonly #delays: readonly number[];
  readonly #clock: DemoClock;
  #read = 0;
  #batches = 0;
  #writes = 0;

  /** `delays` are those of the writes, in milliseconds, in the order of the messages. */
  constructor(demo: Demo, delays: readonly number[], clock: DemoClock) {
    this.#demo = demo;
    this.#delays = delays;
    this.#clock = clock;
  }

  /** The messages, in order: `1`, `2` and so on, or `1.01`, `1.02` where they come in batches. */
  *messages(): Generator<string, void, undefined> {
    const { messages, batchSize } = this.#demo;
    while (this.#read < messages) {
      const place = this.#read++ % batchSize;
      if (place === 0) this.#batches++;
      yield batchSize === 1
        ? `${this.#read}`
        : `${this.#batches}.${String(place + 1).padStart(2, "0")}`;
    }
  }

  /** Writes a message: at once, or after its delay. */
  write(): void | Promise<void> {
    const delay = this.#delays[this.#writes++]!;
    if (this.#demo.writer === "slow") return this.#clock.sleep(delay);
  }
}
