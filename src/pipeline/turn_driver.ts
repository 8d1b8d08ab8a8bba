import type { Driver } from "../engine/ports.ts";
import type { TimedTurnBudget } from "../engine/turn_budget.ts";

/**
 * Drives a chain: as far as possible in each turn of the event loop, and on in the next. What drives one is made of
 * this, since an object more for each run would cost short ones.
 */
export abstract class TurnDriver implements Driver {
  protected readonly turn: TimedTurnBudget;
  #isPaused = false;

  constructor(turn: TimedTurnBudget) {
    this.turn = turn;
  }

  /** Whether nothing goes on any more. */
  protected abstract isStopped(): boolean;

  /** Goes on as far as possible; tells whether the turn is over before that. */
  protected abstract run(): boolean;

  /** Hands over what was kept when the last turn was over. */
  protected abstract drain(): void;

  /** Something has changed for which nothing need go on. */
  handleChange(): void {}

  mayGoOn(): boolean {
    return !this.#isPaused && !this.isStopped();
  }

  /** Goes on, unless the event loop is to have its turn. */
  resume(): void {
    if (this.#isPaused || this.isStopped() || !this.run()) return;
    // The output may have paused it meanwhile.
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.turn.next(() => {
      this.#isPaused = false;
      this.drain();
      this.resume();
    });
  }
}
