import type { PreparedCase } from "./workload.ts";

/** What must come out of a case that moves numbers. */
interface Expected {
  readonly contestant: string;
  readonly chunks: number;
  readonly sum: number;
}

/** A case that moves numbers, and is accepted if as many arrive, with the same sum. */
export function sumCase(
  { contestant, chunks, sum: expectedSum }: Expected,
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
    async verify() {
      if (taken !== chunks || sum !== expectedSum) {
        throw new Error(`Cannot accept ${contestant}: ${taken} of ${chunks} chunks, sum ${sum}`);
      }
      return await Promise.resolve({ chunks, bytes: 0, digest: `${chunks} chunks, sum ${sum}` });
    },
    dispose: () => Promise.resolve(),
  };
}
