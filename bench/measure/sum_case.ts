import assert from "node:assert/strict";
import type { PreparedCase } from "./workload.ts";

/** A case that moves numbers, and is accepted if as many arrive, with the same sum. */
export function sumCase(
  chunks: number,
  expectedSum: number,
  run: (take: (value: number) => void) => Promise<void>,
): PreparedCase {
  let [taken, sum] = [-1, 0];
  const take = (value: number) => {
    taken++;
    sum += value;
  };
  return {
    async run() {
      taken = sum = 0;
      await run(take);
    },
    verify() {
      assert(taken === chunks && sum === expectedSum, `${taken} of ${chunks} chunks, sum ${sum}`);
      return { chunks, bytes: 0, digest: `${chunks} chunks, sum ${sum}` };
    },
  };
}
