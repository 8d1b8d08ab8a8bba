import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { draws, firstSeedOf } from "../lib/thorough.ts";
import type { Chain } from "./chains/chain.ts";
import { compare, endersOf } from "./chains/compare.ts";
import { findDifference } from "./chains/find_differences.ts";
import { randomChain } from "./chains/random_chain.ts";
import { runChain, runComposed } from "./chains/run_chain.ts";

const runs = draws(600);
// The same chains in each gate, so that one that fails is the change's doing.
const [seed, path] = process.env.HOSEPIPE_CHAIN?.split(",") ?? [`${firstSeedOf(runs)}`];

for (const way of ["fused", "run"] as const) {
  for (const isProbed of [false, true]) {
    const like = isProbed
      ? "with a probe around every part do what they do without"
      : "do what native ones do";
    test(`random chains, ${way}, ${like}`, { timeout: 3_600_000 }, async () => {
      const count = isProbed ? draws(60) : runs;
      const search = { way, runs: count, seed: Number(seed), path, isProbed };
      assertEquals(await findDifference(search), undefined);
    });
  }
}

/**
 * Whether anything comes of a chain: into a sink or a pair without room nothing does, but for what queues on the way
 * take, and Deno's native pipes write into a pair without room.
 */
function hasRoom({ sink, source, writableStrategy }: Chain): boolean {
  return (sink.shape === "reads" || sink.strategy.highWaterMark !== 0) &&
    (source.shape === "writes" || writableStrategy.highWaterMark !== 0);
}

/** Whether a chain has no end but a failure of one of its stages. */
function failsInStage(chain: Chain): boolean {
  const { failing, count, cleanUp } = endersOf(chain);
  return failing === 1 && count === 1 && cleanUp === 0 &&
    chain.stages.some(({ failure }) => failure && failure.how !== "terminate");
}

for (
  const [title, most, isMeant] of [
    ["nothing ends early do the same", 500, (chain: Chain) => endersOf(chain).count === 0],
    ["a stage fails fail with the same reason", 300, failsInStage],
  ] as const
) {
  test(`random chains that ${title} composed in a transform stream`, async () => {
    const unhandled = collectUnhandled();
    const isAsked = (chain: Chain) => hasRoom(chain) && isMeant(chain);
    const chains = fc.sample(randomChain("fused").filter(isAsked), { numRuns: most, seed: 1 });
    const differing: string[] = [];
    try {
      for (const chain of chains) {
        const native = await runChain(chain, "fused", true);
        const composed = await runComposed(chain);
        const problems = isMeant === failsInStage
          ? native.result === "hung" || composed.result === native.result
            ? []
            : [`native ${native.result}, composed ${composed.result}`]
          : compare(chain, "fused", native, composed, undefined);
        if (problems.length > 0) differing.push(`${problems.join("; ")} ${JSON.stringify(chain)}`);
      }
    } finally {
      unhandled.close();
    }
    assertEquals(differing, []);
  });
}
