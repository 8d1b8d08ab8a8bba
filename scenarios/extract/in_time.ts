import { limitWaits } from "./limit_waits.ts";

/** Passes on what is made of what comes, as long as it comes in time. */
export async function* inTime<Given, Made>(
  source: AsyncIterable<Given>,
  make: (given: Given) => Made,
  timeoutMs: number,
  name: string,
): AsyncGenerator<Made, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isStalled = false;
  try {
    while (true) {
      isStalled = true;
      const next = await limitWaits(iterator.next(), timeoutMs, name);
      isStalled = false;
      if (next.done) return;
      yield make(next.value);
    }
  } finally {
    // One that is waited for would not learn of it before it has an answer.
    if (!isStalled) await iterator.return?.();
  }
}
