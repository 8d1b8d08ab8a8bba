import type { DeadLetters, QueueSource } from "@hosepipe/streams/queue";
import { type CheckedQueue, checkQueue } from "@hosepipe/streams/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { queueLaws } from "../../../src/testing/queue_laws.ts";

type Queue = QueueSource<string> & { readonly dead: DeadLetters<string> };

const longLeaseMs = 120_000;
const { signal } = new AbortController();
const take = (queue: Queue) => queue.receive(10, { waitMs: 0, signal });

function lawsOf(name: string, skip: string | false, lend: LendQueue) {
  return (title: string, use: (one: Queue) => Promise<void>) =>
    test(`${name}: ${title}`, { skip }, () =>
      lend(longLeaseMs, async ({ one }) => {
        await one.open(longLeaseMs);
        await use(one as Queue);
        await one.close();
      }));
}

/** What holds for adapters that keep ids and dead letters, besides the laws. */
export function testSender(name: string, skip: string | false, lend: LendQueue): void {
  const law = lawsOf(name, skip, lend);
  law("a dead letter whose id is in the queue again stays where it is", async (one) => {
    await one.send(["first"], { ids: ["x"] });
    const [first] = await take(one);
    await one.deadLetter(first!, new Error("no"));
    await one.send(["second"], { ids: ["x"] });
    assertEquals(await one.dead.replay(), 0);
    const [second] = await take(one);
    assertEquals(second!.body, "second");
    await one.ack([second!.receipt]);
    assertEquals(await one.dead.replay(["x"]), 1);
    const [again] = await take(one);
    assertEquals([again!.id, again!.body], ["x", "first"]);
    await one.ack([again!.receipt]);
  });

  law("what is asked wrongly of dead letters is refused", async ({ dead }) => {
    await assertRejects(() => dead.list({ limit: 0 }), RangeError, "limit must be a positive");
    await assertRejects(() => dead.list({ after: 5 as never }), TypeError, "after must be text");
    await assertRejects(() => dead.replay("x" as never), TypeError, "ids must be an array");
    await assertRejects(() => dead.purge([5 as never]), TypeError, "ids[0] must be text");
  });
}

const laws = Object.keys(queueLaws);

/** Lends a queue that hands messages out for so long. */
export type LendQueue = (
  leaseMs: number,
  use: (queue: CheckedQueue) => Promise<void>,
) => Promise<void>;

/** A queue that is lent until `end` is called. */
function keepLent(lend: LendQueue, leaseMs: number): Promise<CheckedQueue> {
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
  /** Whether much of the time is waiting: then all laws are tried at once. */
  isSlow: boolean = Object.keys(weaker).length > 0,
): void {
  const check = (law: string) => {
    const others = laws.filter((other) => other !== law)
      .map((other) => [other, "a test of its own"]);
    return checkQueue((leaseMs) => keepLent(lend, leaseMs), { skip: Object.fromEntries(others) });
  };
  const own = laws.filter((law) => !Object.hasOwn(weaker, law));
  let running: Map<string, ReturnType<typeof check>> | undefined;
  const start = () => running ??= new Map(own.map((law) => [law, check(law)]));
  for (const law of own) {
    test(`${name} keeps the law: ${law}`, { skip }, async () => {
      const result = await (isSlow ? start().get(law)! : check(law));
      result.throwIfFailed();
      assertEquals(result.skipped[law], hasNot[law]);
    });
  }
}
