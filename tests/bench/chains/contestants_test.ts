import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { chainContestants } from "../../../bench/chains/contestants.ts";
import type { ChainJob, Step } from "../../../bench/chains/job.ts";
import { entriesHere } from "../_entries_here.ts";

const steps: readonly Step[] = [
  { kind: "map", fn: (number: number) => number + 1 },
  { kind: "filter", fn: (number: number) => number % 3 !== 0 },
  { kind: "map", fn: (number: number) => `<${number}>` },
  ...Array.from({ length: 20 }, (): Step => ({ kind: "map", fn: (text: string) => text })),
];

/** A job over the numbers below `count`; every tenth write is answered by a promise. */
function makeJob(count: number, isBatched: boolean, write?: (text: string) => void) {
  const written: string[] = [];
  let isWriting = false;
  let isClosed = false;
  const job: ChainJob = {
    isBatched,
    steps,
    async *source() {
      try {
        for (let number = 0; number < count; number += 7) {
          const batch = Array.from({ length: Math.min(7, count - number) }, (_, at) => number + at);
          if (isBatched) yield batch;
          else yield* batch;
          await Promise.resolve();
        }
      } finally {
        isClosed = true;
      }
    },
    write(text: string) {
      if (isWriting) throw new Error("the previous write is still under way");
      write?.(text);
      written.push(text);
      if (written.length % 10 !== 0) return;
      isWriting = true;
      return new Promise<void>((resolve) => setTimeout(resolve)).then(() =>
        void (isWriting = false)
      );
    },
  };
  return { job, written, isClosed: () => isClosed };
}

const expected = (count: number) =>
  Array.from({ length: count }, (_, number) => number + 1)
    .filter((number) => number % 3 !== 0).map((number) => `<${number}>`);

for (const { name, load } of entriesHere(chainContestants, {})) {
  test(`${name} does every step on every chunk, in order, one write at a time`, async () => {
    const run = await load();
    for (const isBatched of [true, false]) {
      for (const count of [0, 1, 100]) {
        const { job, written, isClosed } = makeJob(count, isBatched);
        await run(job);
        assertEquals(written, expected(count));
        assertEquals(isClosed(), true);
      }
    }
  });

  test(`${name} fails with the source's error`, async () => {
    const run = await load();
    const { job } = makeJob(20, true);
    const source = async function* () {
      yield* job.source();
      throw new RangeError("the source broke");
    };
    await assertRejects(() => run({ ...job, source }), RangeError, "the source broke");
  });

  test(`${name} fails with the writer's error`, async () => {
    const run = await load();
    const { job } = makeJob(20, true, (text) => {
      if (text === "<8>") throw new RangeError("the writer broke");
    });
    await assertRejects(() => run(job), RangeError, "the writer broke");
    const later = makeJob(20, true).job;
    const write = (text: string) =>
      text === "<8>" ? Promise.reject(new RangeError("the writer broke later")) : undefined;
    await assertRejects(() => run({ ...later, write }), RangeError, "the writer broke later");
  });
}
