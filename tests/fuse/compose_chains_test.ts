import { test } from "node:test";
import { assertEquals } from "@std/assert";
import * as library from "@hosepipe/streams";
import type { Chain } from "./chains/chain.ts";
import { compare, endersOf } from "./chains/compare.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { randomChain } from "./chains/random_chain.ts";
import { runChain, runComposed } from "./chains/run_chain.ts";

/** Whether anything comes of a chain: into a sink without room nothing does, but for what queues on the way take. */
function hasRoom({ sink }: Chain): boolean {
  return sink.shape === "reads" || sink.strategy.highWaterMark !== 0;
}

test("random chains that nothing ends early do the same composed in a transform stream", async () => {
  const unhandled = collectUnhandled();
  const differing: string[] = [];
  let count = 0;
  try {
    for (let seed = 1; count < 500; seed++) {
      const chain = randomChain(seed, "fused");
      if (endersOf(chain).count > 0 || !hasRoom(chain)) continue;
      count++;
      const native = await runChain(chain, "fused", true, library);
      const problems = compare(
        chain,
        "fused",
        native,
        await runComposed(chain, library),
        undefined,
      );
      if (problems.length > 0) {
        differing.push(`seed ${seed}: ${problems.join("; ")} ${JSON.stringify(chain)}`);
      }
    }
  } finally {
    unhandled.close();
  }
  assertEquals(differing, []);
});

test("random chains that a stage fails fail with the same reason composed in a transform stream", async () => {
  const unhandled = collectUnhandled();
  const differing: string[] = [];
  let count = 0;
  try {
    for (let seed = 1; count < 300; seed++) {
      const chain = randomChain(seed, "fused");
      const { failing, count: enders, cleanUp } = endersOf(chain);
      const isStage = chain.stages.some(({ failure }) => failure && failure.how !== "terminate");
      if (!hasRoom(chain) || !isStage || failing !== 1 || enders !== 1 || cleanUp > 0) continue;
      count++;
      const native = await runChain(chain, "fused", true, library);
      const composed = await runComposed(chain, library);
      if (native.result === "hung" || composed.result === native.result) continue;
      differing.push(
        `seed ${seed}: native ${native.result}, composed ${composed.result} ${
          JSON.stringify(chain)
        }`,
      );
    }
  } finally {
    unhandled.close();
  }
  assertEquals(differing, []);
});
