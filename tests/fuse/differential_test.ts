import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { chains } from "./_chain_description.ts";
import { findNativeDeviations } from "./_native_deviations.ts";
import { problemsOf } from "./_problems.ts";
import { runPair, runPipeline } from "./_run_chain.ts";

function numberFrom(name: string, fallback: number): number {
  const number = Number(process.env[name] || fallback);
  assert(Number.isSafeInteger(number), `${name} must be an integer, got ${process.env[name]}`);
  return number;
}

const chainCount = numberFrom("HOSEPIPE_CHAINS", 2000);
const seed = numberFrom("HOSEPIPE_SEED", Math.floor(Math.random() * 2 ** 31));

const unhandled: unknown[] = [];

/** Names what was rejected since the last call without anybody handling it. */
function unhandledIn(way: string, isExcused: (reason: unknown) => boolean): string[] {
  return unhandled.splice(0).filter((reason) => !isExcused(reason))
    .map((reason) => `${way}: unhandled rejection: ${(reason as Error)?.stack}`);
}

test("random chains do the same natively, fused and in a pipeline", {
  timeout: 3_600_000,
}, async () => {
  console.log(`${chainCount} random chains, HOSEPIPE_SEED=${seed}`);
  const { failsToCancelAfterEnd } = await findNativeDeviations();
  const isNative = (reason: unknown) => failsToCancelAfterEnd && reason instanceof TypeError;
  const isOurs = () => false;
  const listen = (reason: unknown) => void unhandled.push(reason);
  // Node's runner fails a test for the native streams' own unhandled rejections; those of Deno and Bun, whose streams
  // have none, cannot be kept from failing it.
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", listen);
  let count = 0;
  try {
    await fc.assert(
      fc.asyncProperty(chains, async (chain) => {
        count++;
        const problems = [
          ...await problemsOf("native", chain, await runPair("native", chain)),
          ...unhandledIn("native", isNative),
          ...await problemsOf("fuse", chain, await runPair("fuse", chain)),
          ...unhandledIn("fuse", isOurs),
          ...await problemsOf("pipeline", chain, await runPipeline(chain)),
          ...unhandledIn("pipeline", isOurs),
        ];
        assertEquals(problems, []);
      }),
      { numRuns: chainCount, seed },
    );
  } finally {
    process.off("unhandledRejection", listen);
    for (const other of others) process.on("unhandledRejection", other);
  }
  assertEquals(count, chainCount);
});
