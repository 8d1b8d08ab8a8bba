import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as library from "@hosepipe/streams";
import { findDifferences } from "./chains/find_differences.ts";

function numberFrom(name: string, fallback: number): number {
  const number = Number(process.env[name] || fallback);
  assert(Number.isSafeInteger(number), `${name} must be an integer, got ${process.env[name]}`);
  return number;
}

const runs = numberFrom("HOSEPIPE_CHAINS", 3000);
// The same chains each time, so that one that fails is the change's doing; run_chains.ts takes others.
const seed = numberFrom("HOSEPIPE_SEED", 1);

const ways = ["fused", "run"] as const;
const probedRuns = numberFrom("HOSEPIPE_PROBED_CHAINS", 150);

for (const way of ways) {
  test(`random chains, ${way}, do with a probe around every part what they do without`, {
    timeout: 3_600_000,
  }, async () => {
    console.log(`${probedRuns} chains, HOSEPIPE_SEED=${seed}`);
    const runs = probedRuns;
    const found = await findDifferences({ way, runs, seed, library, probed: "ours", atMost: 3 });
    const shown = found.map(({ problems, seed }) =>
      `${problems.join("\n")}\n` +
      `deno run -A tests/fuse/run_chains.ts --way ${way} --probed ours --seed ${seed} --runs 1`
    );
    assertEquals(shown, []);
  });
}

for (const way of ways) {
  test(`random chains, ${way}, do what native ones do`, { timeout: 3_600_000 }, async () => {
    console.log(`${runs} chains, HOSEPIPE_SEED=${seed}`);
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
