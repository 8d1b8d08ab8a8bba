import { pendingRuns } from "../inspect/pending_runs.ts";
import { yieldTurn } from "../engine/turn_budget.ts";

/** Turns of the event loop without a sign of life after which what can happen has happened. */
export const stillTurns = 5;
/** The same before something is said to hang. */
export const deadTurns = 50;

let events = 0;

/** A task of the event loop, in real time. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => yieldTurn(resolve));

/** Notes that something happened at an end that a test holds. */
export function noteActivity(): void {
  events++;
}

/** How far the runs and the ends that tests hold are: the same text while nothing moves. */
export function progress(): string {
  const runs = pendingRuns().map(({ chunksRead, chunksWritten }) =>
    `${chunksRead} ${chunksWritten}`
  );
  return [events, ...runs].join();
}

/** Lets turns pass until nothing has happened in some of them. */
export async function untilStill(turns = stillTurns): Promise<void> {
  let last = progress();
  for (let still = 0; still < turns;) {
    await nextTurn();
    const now = progress();
    still = now === last ? still + 1 : 0;
    last = now;
  }
}
