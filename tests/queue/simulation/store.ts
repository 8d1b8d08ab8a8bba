import type { Output } from "@hosepipe/streams/queue";
import { lostConnection } from "./connection.ts";
import type { History } from "./history.ts";
import type { Random } from "./random.ts";
import { sleep } from "./virtual_clock.ts";

/** How the store behaves, until faults are over. */
export interface StoreTemper {
  failureProbability: number;
  /** How long a save takes at most. */
  longestMs: number;
  /** How often it may still fail after a part of a batch without a word that it is the store's fault. */
  partialFailures: number;
}

/** What says that the store can be used, and does not take this. */
export class Refusal extends Error {}

/** A store with one row for each key. */
export class Store {
  readonly rows = new Set<string>();
  readonly #history: History;
  readonly #random: Random;
  readonly #temper: StoreTemper;

  constructor(history: History, random: Random, temper: StoreTemper) {
    this.#history = history;
    this.#random = random;
    this.#temper = temper;
  }

  async save(worker: number, outputs: readonly Output<string>[]): Promise<void> {
    const random = this.#random;
    const temper = this.#temper;
    for (const { message, key, value } of outputs) {
      this.#history.note(worker, "saving", message.id, key, Number(value.split(" ")[2]));
    }
    await sleep(random.between(1, temper.longestMs));
    if (random.happens(temper.failureProbability)) throw lostConnection();
    if (temper.partialFailures > 0 && random.happens(temper.failureProbability)) {
      temper.partialFailures--;
      this.#add(worker, outputs.slice(0, random.between(0, outputs.length)));
      throw new Error("The store has kept a part of it");
    }
    if (outputs.some(({ value }) => value.startsWith("refused "))) {
      throw new Refusal("The store refuses it");
    }
    this.#add(worker, outputs);
    if (random.happens(temper.failureProbability)) throw lostConnection();
    await sleep(random.between(1, 3));
  }

  #add(worker: number, outputs: readonly Output<string>[]): void {
    for (const { key, message, index } of outputs) {
      if (this.rows.has(key)) continue;
      this.rows.add(key);
      this.#history.note(worker, "row", message.id, `${index}`);
    }
  }
}
