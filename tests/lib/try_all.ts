/** Picks one of so many options, by its place. */
export type Pick = (count: number) => number;

/**
 * Runs `run` with every combination of the picks it makes, one run after the other, and answers how many there were. What
 * was picked before decides which picks come next, so `run` must do the same at the same picks.
 */
export async function tryAll(run: (pick: Pick) => Promise<void>): Promise<number> {
  const picks: { chosen: number; readonly count: number }[] = [];
  for (let runs = 1;; runs++) {
    let place = 0;
    await run((count) => {
      if (place === picks.length) picks.push({ chosen: 0, count });
      return picks[place++]!.chosen;
    });
    while (picks.length > 0 && picks.at(-1)!.chosen === picks.at(-1)!.count - 1) picks.pop();
    if (picks.length === 0) return runs;
    picks.at(-1)!.chosen++;
  }
}
