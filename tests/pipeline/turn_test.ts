import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { filter, flatMap, map, pipeline, tap } from "@hosepipe/streams";
import { range } from "../lib/range.ts";

/** How often the event loop has had its turn while `run` went on, by tasks that follow each other. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await run();
  isOver = true;
  return turns;
}

test("the event loop has its turn within one array of flatMap, many times", async () => {
  const large = range(3_000_000);
  let sum = 0;
  const chunks = [1];
  const turns = await turnsDuring(() =>
    pipeline(chunks, flatMap(() => large), map((n: number) => n + 1), filter((n) => n > 0), (n) => {
      sum += n;
    })
  );
  assertEquals(sum, 3_000_000 * 3_000_001 / 2);
  // Three million calls of three functions take more than 20 ms on any machine.
  assert(turns >= 3, `${turns} turns`);
});

test("the event loop has its turn while a stage enqueues one by one, and while nothing gets through", async () => {
  const turns = await turnsDuring(() =>
    pipeline(range(2_000_000), filter(() => false), tap(() => {}), () => {})
  );
  assert(turns >= 2, `${turns} turns`);
});
