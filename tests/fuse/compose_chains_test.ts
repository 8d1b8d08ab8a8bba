import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type ChainDescription, chains } from "./_chain_description.ts";
import { problemsOf } from "./_problems.ts";
import { runPair } from "./_run_chain.ts";

/**
 * Whether a transform stream can tell of `chain` what a pair of `fuse` can: it drops its queue when it is aborted,
 * cannot see what has no size, and has one reason for both its ends.
 */
function isTellable({ source, readableStrategy, stages }: ChainDescription): boolean {
  return source.ending === "close" && readableStrategy.size !== 0 &&
    stages.every(({ start, cancel }) => start.mode !== "terminate" && cancel.mode !== "throw");
}

/** What two ends with one reason, and a look at the next chunk, may bring about. */
const expected = /: the source is cancelled for|: read \d+ chunks, at most/;

test("random chains do the same composed in a transform stream as fused", async () => {
  let count = 0;
  let excused = 0;
  await fc.assert(
    fc.asyncProperty(chains.filter(isTellable), async (chain) => {
      count++;
      const problems = await problemsOf("fuse", chain, await runPair("compose", chain));
      const others = problems.filter((problem) => !expected.test(problem));
      if (others.length < problems.length) excused++;
      assertEquals(others, []);
    }),
    { numRuns: 500 },
  );
  assertEquals(count, 500);
  assert(excused < 25, `${excused} of ${count} chains were excused`);
});
