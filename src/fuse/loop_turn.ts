import { TimedTurnBudget, yieldTurn } from "../engine/turn_budget.ts";

// Two of them, one to see whether the event loop turns by itself, are below 10 ms.
const turnMs = 3;

/** Tells when chunks that never wait have kept the event loop from its turn. */
export class LoopTurn {
  readonly #turn = new TimedTurnBudget(turnMs);
  #isWatching = false;

  /** Counts a chunk; answers whether the event loop must have its turn before it goes on. */
  isOver(): boolean {
    if (!this.#turn.isOver(1)) return false;
    if (this.#isWatching) return true;
    // Time has passed, perhaps since there was no chunk: a task that runs meanwhile shows it.
    this.#isWatching = true;
    this.#turn.begin();
    yieldTurn(() => {
      this.#isWatching = false;
      this.#turn.begin();
    });
    return false;
  }
}
