import type { Operator } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";

/** The operators that random chains are made of, by what stands before the comma in their name. */
export const randomOperators: ReadonlyMap<string, Operator> = new Map(
  operators.filter(({ makeRandom, makeSized }) => makeRandom ?? makeSized)
    .map((operator) => [operator.name.split(",")[0]!, operator]),
);
