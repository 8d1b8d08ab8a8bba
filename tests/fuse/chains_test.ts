import { test } from "node:test";
import { assertEquals } from "@std/assert";
import * as library from "@hosepipe/streams";
import { findDifferences } from "./chains/find_differences.ts";
import { draws, firstSeedOf } from "../lib/thorough.ts";

const runs = draws(600);
// The same chains in each gate, so that one that fails is the change's doing; run_chains.ts takes others.
const seed = firstSeedOf(runs);

const ways = ["fused", "run"] as const;
const probedRuns = draws(60);

for (const way of ways) {
  test(`random chains, ${way}, do with a probe around every part what they do without`, {
    timeout: 3_600_000,
  }, async () => {
    const found = await findDifferences({
      ...{ way, runs: probedRuns, seed, library, probed: "ours", atMost: 3 },
    });
    const shown = found.map(({ problems, seed }) =>
      `${problems.join("\n")}\n` +
      `deno run -A tests/fuse/run_chains.ts --way ${way} --probed ours --seed ${seed} --runs 1`
    );
    assertEquals(shown, []);
  });
}

for (const way of ways) {
  test(`random chains, ${way}, do what native ones do`, { timeout: 3_600_000 }, async () => {
    const found = await findDifferences({ way, runs, seed, library, atMost: 3 });
    const shown = found.map(({ chain, problems, seed }) =>
      `${
        problems.join("\n")
      }\ndeno run -A tests/fuse/run_chains.ts --way ${way} --seed ${seed} --runs 1\n` +
      `deno run -A tests/fuse/run_chains.ts --way ${way} --chain '${JSON.stringify(chain)}'`
    );
    assertEquals(shown, []);
  });
}
