import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type CheckedQueue, checkQueue } from "@hosepipe/streams/testing";
import { queueLaws } from "../../../src/testing/queue_laws.ts";

const laws = Object.keys(queueLaws);

/** Lends a queue that hands messages out for so long. */
export type LendQueue = (
  leaseMs: number,
  use: (queue: CheckedQueue) => Promise<void>,
) => Promise<void>;

/** A queue that is lent until `end` is called. */
export function keepLent(lend: LendQueue, leaseMs: number): Promise<CheckedQueue> {
  return new Promise((resolve, reject) => {
    const ended = Promise.withResolvers<void>();
    const lending = lend(leaseMs, (queue) => {
      const end = async () => {
        ended.resolve();
        await lending;
      };
      resolve({ ...queue, end });
      return ended.promise;
    });
    lending.catch(reject);
  });
}

/** A test for each law of queues: it holds, or is left out as named. */
export function testQueueLaws(
  name: string,
  skip: string | false,
  lend: LendQueue,
  hasNot: Readonly<Record<string, string>> = {},
  /** Those that it keeps in part: its own tests say how far. */
  weaker: Readonly<Record<string, string>> = {},
): void {
  for (const law of laws) {
    if (Object.hasOwn(weaker, law)) continue;
    test(`${name} keeps the law: ${law}`, { skip }, async () => {
      const others = laws.filter((other) => other !== law).map((
        other,
      ) => [other, "a test of its own"]);
      const result = await checkQueue((leaseMs) => keepLent(lend, leaseMs), {
        skip: Object.fromEntries(others),
      });
      result.throwIfFailed();
      assertEquals(result.skipped[law], hasNot[law]);
    });
  }
}
