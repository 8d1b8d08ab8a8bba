import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import process from "node:process";
import { compose, pipeline } from "../../mod.ts";
import type { Transformer } from "../../src/web_types.ts";
import { inWorkers, type InWorkersOptions } from "../../src/workers/mod.ts";
import { makeStages, type Step } from "./modules/law.ts";
import { draws } from "../lib/thorough.ts";

const law = new URL("./modules/law.ts", import.meta.url);
const runs = draws(40);

interface Program {
  readonly steps: readonly Step[];
  readonly blockSize: number;
  readonly maxBlocks: number;
  readonly threads: number;
  readonly perBlock: boolean;
  /** After how many chunks the sink fails; never if there are fewer. */
  readonly sinkFails: number;
  /** After how many chunks the signal aborts. */
  readonly aborts: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ gives: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ gives: fc.constant(1), waits: fc.constant(true) }) },
  {
    weight: 1,
    arbitrary: fc.record({ gives: fc.constant(2), fails: fc.constantFrom("throws", "rejects") }),
  },
);

const program: fc.Arbitrary<Program> = fc.record({
  steps: fc.array(step, { maxLength: 30 }),
  blockSize: fc.integer({ min: 1, max: 8 }),
  maxBlocks: fc.integer({ min: 1, max: 5 }),
  threads: fc.integer({ min: 1, max: 2 }),
  perBlock: fc.boolean(),
  sinkFails: fc.integer({ min: 1, max: 60 }),
  aborts: fc.integer({ min: 1, max: 90 }),
});

/** What a run gives, and how it ends. */
async function watch(
  { steps, sinkFails, aborts }: Program,
  stages: readonly Transformer<never, unknown>[],
): Promise<[unknown[], string]> {
  const written: unknown[] = [];
  const stop = new AbortController();
  const write = (chunk: unknown) => {
    written.push(chunk);
    if (written.length === sinkFails) throw new Error("the sink");
    if (written.length === aborts) stop.abort(new Error("the signal"));
  };
  const end = await pipeline(
    steps.map((step, index) => ({ ...step, index })),
    compose(stages as readonly Transformer<unknown, unknown>[]),
    write,
    { signal: stop.signal },
  ).then(() => "ended", (reason) => String(reason));
  return [written, end];
}

test("inWorkers is its definition: each block a stream through the stages, in their order", async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      if (process.env.SHOW) console.log(JSON.stringify(given));
      const { blockSize, maxBlocks, threads, perBlock } = given;
      const options: InWorkersOptions = { blockSize, maxBlocks, threads, perBlock };
      const expected = await watch(given, makeStages());
      const stage = inWorkers<typeof import("./modules/law.ts")>(law, options);
      assertEquals(await watch(given, [stage]), expected);
    }),
    { numRuns: runs },
  );
});
