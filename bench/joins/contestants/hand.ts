import type { RunJoin } from "../job.ts";
import { openAll, sumOf } from "../open_all.ts";

async function drain(source: AsyncIterable<number>, take: (value: number) => void): Promise<void> {
  for await (const value of source) take(value);
}

/** Loops beside each other; tuples by `Promise.all`; what is shared is given to all in one loop. */
export const hand: RunJoin = async (job) => {
  const { kind, count, open, take } = job;
  if (kind === "merge") await Promise.all(openAll(job).map((source) => drain(source, take)));
  else if (kind === "zip") {
    const iterators = openAll(job).map((source) => source[Symbol.asyncIterator]());
    while (true) {
      const results = await Promise.all(iterators.map((iterator) => iterator.next()));
      if (results.some(({ done }) => done)) return;
      take(sumOf(results.map(({ value }) => value)));
    }
  } else {
    await drain(open(), (value) => {
      for (let reader = 0; reader < count; reader++) take(value);
    });
  }
};
