import type { Choice, Deviation, Schedule } from "./schedule.ts";

/** How schedules are walked through. */
export interface Walk {
  /** At most so many deviations. */
  readonly deviations: number;
  /** Runs some, and gives for each the places where it could have deviated, in their order. */
  readonly run: (schedules: readonly Schedule[]) => Promise<readonly (readonly Choice[])[]>;
  /** Of the schedules with most deviations only each so manyth is run; default: 1. */
  readonly every?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Parent {
  readonly deviations: readonly Deviation[];
  /** Those behind the last deviation. */
  readonly choices: readonly Choice[];
}

const atATime = 256;

/**
 * Runs every schedule with at most so many deviations from a plain run, each once: one more deviation is possible
 * wherever a run had a choice behind its last one. Those with few deviations come first.
 */
export async function walkSchedules(
  plain: Schedule,
  { deviations: most, run, every = 1, signal }: Walk,
): Promise<void> {
  let level: Iterable<readonly Deviation[]> = [[]];
  for (let depth = 0; depth <= most; depth++) {
    const parents: Parent[] = [];
    for (const batch of batches(level, depth === most ? every : 1)) {
      if (signal?.aborted) return;
      const found = await run(batch.map((deviations) => ({ ...plain, deviations })));
      if (depth === most) continue;
      for (const [index, choices] of found.entries()) {
        const deviations = batch[index]!;
        const last = deviations.at(-1)?.at;
        const from = choices.findIndex(({ at }) => at === last) + 1;
        parents.push({ deviations, choices: choices.slice(from) });
      }
    }
    level = childrenOf(parents);
  }
}

function* childrenOf(parents: readonly Parent[]): Generator<readonly Deviation[]> {
  for (const { deviations, choices } of parents) {
    for (const { at, options } of choices) {
      for (const does of options) yield [...deviations, { at, does }];
    }
  }
}

function* batches<Item>(items: Iterable<Item>, every: number): Generator<Item[]> {
  let batch: Item[] = [];
  let index = 0;
  for (const item of items) {
    if (index++ % every !== 0) continue;
    batch.push(item);
    if (batch.length < atATime) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
