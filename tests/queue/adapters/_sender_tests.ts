import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { DeadLetters, QueueSource } from "@hosepipe/streams/queue";
import type { LendQueue } from "./_check_queue.ts";

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
