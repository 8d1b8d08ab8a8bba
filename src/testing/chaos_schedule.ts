import { printChunk } from "./print_chunk.ts";
import type { ChaosFault } from "./chaos_types.ts";

/** The numbers of a schedule: 0 does nothing, the last three are faults. */
export const lastMove = 9;
/** The smallest number that is a fault. */
export const firstFault = 7;

/** How late something comes: so many microtasks or milliseconds. */
const delays = [
  { words: "at once" },
  { words: "a microtask late", microtasks: 1 },
  { words: "three microtasks late", microtasks: 3 },
  { words: "a turn of the event loop late", ms: 0 },
  ...[1, 10, 1_000].map((ms) => ({ words: `${ms} ms late`, ms })),
] as readonly { readonly words: string; readonly microtasks?: number; readonly ms?: number }[];
/** The number of a turn of the event loop. */
const aTurn = 3;

/** More would only hide what the first ones do. */
const mostFaults = 2;

/** A schedule as it is used up: each point of a run takes the next of its numbers, and 0 where it has ended. */
export class ChaosSchedule {
  /** What was injected, with the way in, to compare with what comes out. */
  readonly reasons: { readonly by: ChaosFault; readonly reason: unknown }[] = [];
  /** Each disturbance, in words. */
  readonly steps: string[] = [];
  readonly #moves: readonly number[];
  readonly #controller: AbortController;
  readonly #faults: readonly ChaosFault[];
  #used = 0;
  /** How many of its delays are under way. */
  pendingDelays = 0;

  constructor(
    moves: readonly number[],
    controller: AbortController,
    faults: readonly ChaosFault[],
  ) {
    this.#moves = moves;
    this.#controller = controller;
    this.#faults = faults;
  }

  /** How many of its numbers were used. */
  get used(): number {
    return Math.min(this.#used, this.#moves.length);
  }

  #next(): number {
    return this.#moves[this.#used++] ?? 0;
  }

  /** One of several settings; the first is the usual one. */
  choose<T>(choices: readonly T[], describe: (choice: T) => string): T {
    const move = this.#next();
    const choice = choices[move % choices.length]!;
    if (choice !== choices[0]) this.steps.push(describe(choice));
    return choice;
  }

  /** Where a chunk of so many bytes is cut, if it is. */
  cut(what: string, length: number): number | undefined {
    if (length < 2) return undefined;
    const move = this.#next();
    if (move === 0) return undefined;
    const at = length <= lastMove + 1
      ? 1 + (move - 1) % (length - 1)
      : Math.max(1, Math.floor(move * length / (lastMove + 1)));
    this.steps.push(`${what} is cut after ${at} of ${length} bytes`);
    return at;
  }

  /** A moment at which something is late, fails unless it is over by then, or at which the signal aborts. */
  async moment(
    what: string,
    by: Exclude<ChaosFault, "abort"> | undefined,
    isOver: () => boolean = () => false,
  ): Promise<void> {
    const move = this.#next();
    if (move === 0) return;
    if (move < firstFault) {
      this.steps.push(`${what} is ${delays[move]!.words}`);
      return await this.#wait(move);
    }
    if (this.reasons.length >= mostFaults) return;
    if (move === lastMove) {
      if (this.#faults.includes("abort") && !this.#controller.signal.aborted) {
        this.steps.push(`${what}: the signal aborts before it`);
        this.#controller.abort(new Error("chaos: the signal aborts"));
        this.reasons.push({ by: "abort", reason: this.#controller.signal.reason });
      }
      return;
    }
    if (by === undefined || !this.#faults.includes(by)) return;
    const isLate = move > firstFault;
    const reason = isLate ? undefined : new Error(`chaos: ${what} fails`);
    const how = isLate ? " a turn of the event loop late" : "";
    this.steps.push(`${what} fails${how} with ${printChunk(reason)}`);
    if (isLate) await this.#wait(aTurn);
    if (isOver()) return;
    this.reasons.push({ by, reason });
    throw reason;
  }

  async #wait(move: number): Promise<void> {
    const { microtasks = 0, ms } = delays[move]!;
    for (let count = 0; count < microtasks; count++) await undefined;
    if (ms === undefined) return;
    this.pendingDelays++;
    await new Promise<void>((resolve) => void setTimeout(resolve, ms));
    this.pendingDelays--;
  }
}
