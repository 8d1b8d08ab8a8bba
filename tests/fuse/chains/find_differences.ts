import type * as Library from "../../../mod.ts";
import { collectUnhandled } from "../../lib/collect_unhandled.ts";
import type { Chain, Way } from "./chain.ts";
import { checkChain } from "./check_chain.ts";
import { checkProbed } from "./check_probed.ts";
import { randomChain } from "./random_chain.ts";
import { shrink } from "./shrink.ts";

/** A chain that does not do what its native twin does. */
export interface ChainDifference {
  /** The seed of this chain alone. */
  readonly seed: number;
  /** The chain, made as simple as it still fails. */
  readonly chain: Chain;
  readonly problems: readonly string[];
}

export interface Search {
  readonly way: Way;
  readonly runs: number;
  /** The seed of the first chain; those of the others follow. */
  readonly seed: number;
  readonly library: typeof Library;
  /** Compares with and without probes, by the library or natively; default: natively and by the library. */
  readonly probed?: "ours" | "native";
  /** Stops after so many. */
  readonly atMost: number;
  readonly onProgress?: (runs: number) => void;
}

/** Runs random chains and gives those that differ, simplified. */
export async function findDifferences(search: Search): Promise<ChainDifference[]> {
  const { way, runs, seed, library, probed, atMost, onProgress } = search;
  const unhandled = collectUnhandled();
  const found: ChainDifference[] = [];
  try {
    for (let run = 0; run < runs && found.length < atMost; run++) {
      const own = seed + run;
      const check = (chain: Chain) =>
        probed === undefined
          ? checkChain(chain, way, library, unhandled.take)
          : checkProbed(chain, way, probed === "native", library, unhandled.take);
      const problems = await check(randomChain(own, way));
      if (problems.length > 0) {
        // A simpler chain must fail in the same way, not in another.
        const sign = signOf(problems);
        const chain = await shrink(
          randomChain(own, way),
          async (chain) => signOf(await check(chain)) === sign,
        );
        found.push({ seed: own, chain, problems: await check(chain) });
      }
      onProgress?.(run + 1);
    }
  } finally {
    unhandled.close();
  }
  return found;
}

function signOf(problems: readonly string[]): string {
  return [...new Set(problems.map((problem) => problem.split(":")[0]!.replace(/\d+/g, "")))].sort()
    .join();
}
