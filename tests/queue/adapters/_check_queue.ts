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
  const check = (law: string) => {
    const others = laws.filter((other) => other !== law)
      .map((other) => [other, "a test of its own"]);
    return checkQueue((leaseMs) => keepLent(lend, leaseMs), { skip: Object.fromEntries(others) });
  };
  const own = laws.filter((law) => !Object.hasOwn(weaker, law));
  let running: Map<string, ReturnType<typeof check>> | undefined;
  // A service that counts in seconds is asked for all of them at once.
  const start = () => running ??= new Map(own.map((law) => [law, check(law)]));
  const isSlow = Object.keys(weaker).length > 0;
  for (const law of own) {
    test(`${name} keeps the law: ${law}`, { skip }, async () => {
      const result = await (isSlow ? start().get(law)! : check(law));
      result.throwIfFailed();
      assertEquals(result.skipped[law], hasNot[law]);
    });
  }
}
