import { factInWords } from "./fact_in_words.ts";
import type { Measured } from "./measured.ts";

/** Reads one fact: a figure all runtimes agree on, or each with its name. */
export type ReadFact = (probe: string, row: string, column: string) => string;

/** Makes what reads facts by their places. */
export function factReader(measured: readonly Measured[]): ReadFact {
  return (probe, row, column) => {
    const facts = measured.map(({ facts }) => {
      const fact = facts[probe]?.[row]?.[column];
      if (fact === undefined) throw new Error(`Cannot find ${probe} / ${row} / ${column}`);
      return factInWords(fact);
    });
    if (new Set(facts).size === 1) return facts[0]!;
    return measured.map(({ name }, index) => `${facts[index]} (${name})`).join(" or ");
  };
}
