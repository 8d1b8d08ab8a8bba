import { test } from "node:test";
import { corpusOf, Dice, mutate, targets, toLine } from "./_corpus.ts";
import { draws, firstSeedOf } from "../lib/thorough.ts";

/** New inputs of every run; each corpus was found by ten minutes of them, guided by coverage. */
const runs = draws(40);

for (const target of targets) {
  test(`${target.name}: what holds for every input holds for the corpus, and changes of it`, async () => {
    const corpus = corpusOf(target);
    const dice = new Dice(firstSeedOf(runs));
    const changed = Array.from(
      { length: runs },
      () => mutate(dice.pick(corpus), corpus, target.tokens, dice),
    );
    for (const bytes of [...corpus, ...changed]) {
      try {
        await target.check(bytes);
      } catch (error) {
        throw new Error(`fails with ${toLine(bytes)}`, { cause: error });
      }
    }
  });
}
