import { test, type TestContext } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Delivery, QueueSource } from "@hosepipe/streams/queue";

/** A queue to be tested, as two workers see it. */
export interface QueueUnderTest {
  readonly one: QueueSource<string>;
  readonly other: QueueSource<string>;
}

/** A lease that does not run out while a test is looked at, however slow the machine. */
const longLeaseMs = 120_000;

const { signal } = new AbortController();
const bodiesOf = (deliveries: readonly Delivery<string>[]) => deliveries.map(({ body }) => body);
const receiptsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ receipt }) => receipt);

/** Receives until there are `count`, or nothing more comes. */
async function receive(
  queue: QueueSource<string>,
  count: number,
  waitMs = 20_000,
): Promise<Delivery<string>[]> {
  const all: Delivery<string>[] = [];
  while (all.length < count) {
    const deliveries = await queue.receive(count - all.length, { waitMs, signal });
    if (deliveries.length === 0) break;
    all.push(...deliveries);
  }
  return all;
}

/** What holds for every adapter. */
export function testQueueLaws(
  name: string,
  skip: string | false,
  withQueue: (leaseMs: number, use: (queue: QueueUnderTest) => Promise<void>) => Promise<void>,
): void {
  const law = (
    title: string,
    use: (queue: QueueUnderTest, context: TestContext) => Promise<void>,
    leaseMs = longLeaseMs,
  ) =>
    test(`${name}: ${title}`, { skip }, (context) =>
      withQueue(leaseMs, async (queue) => {
        await queue.one.open(leaseMs);
        await queue.other.open(leaseMs);
        await use(queue, context);
        await queue.one.close();
        await queue.other.close();
      }));

  law(
    "messages come in order, each to one worker, and are gone once acknowledged",
    async ({ one, other }) => {
      const sent = Array.from({ length: 30 }, (_, index) => `${index}`);
      await one.send(sent);
      const mine = await receive(one, 10);
      const theirs = await receive(other, 30, 300);
      assertEquals(bodiesOf(mine), sent.slice(0, 10));
      assertEquals(bodiesOf(theirs), sent.slice(10));
      assertEquals(new Set([...mine, ...theirs].map(({ id }) => id)).size, 30);
      assert([...mine, ...theirs].every((d) => d.deliveries === 1 && d.failures === 0));
      assertEquals(await other.depth(), { waiting: 0, leased: 30, dead: 0 });
      await one.ack(receiptsOf(mine));
      await other.ack(receiptsOf(theirs));
      await one.ack(receiptsOf(mine));
      assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
      assertEquals(await receive(one, 1, 300), []);
    },
  );

  law("text is what was sent, whatever is in it", async ({ one, other }) => {
    const sent = ["", "\ufeffmark", "\ufeffmark\0", "äöü €\n\r\0 𝄞", "x".repeat(500_000)];
    await one.send(sent);
    const deliveries = await receive(other, sent.length);
    assertEquals(bodiesOf(deliveries), sent);
    await other.ack(receiptsOf(deliveries));
  });

  law(
    "what is given back comes again at once, as if it had not been handed over",
    async ({ one, other }) => {
      await one.send(["a", "b"]);
      const first = await receive(one, 2);
      await one.giveBack(receiptsOf(first));
      const again = await receive(other, 2);
      assertEquals(again.map(({ id }) => id).toSorted(), first.map(({ id }) => id).toSorted());
      assertEquals(again.map(({ deliveries, failures }) => [deliveries, failures]), [[1, 0], [
        1,
        0,
      ]]);
      await other.giveBack(receiptsOf(again));
      const third = await receive(one, 2);
      assertEquals(third.map(({ deliveries }) => deliveries), [1, 1]);
      await one.ack(receiptsOf(third));
    },
  );

  law("a failure is counted, and delays the next delivery", async ({ one, other }) => {
    await one.send(["a"]);
    const [first] = await receive(one, 1);
    const failedAt = performance.now();
    await one.fail([first!.receipt], new Error("no"), 400);
    const [second] = await receive(other, 1);
    // Both clocks may round.
    assert(performance.now() - failedAt > 395, "it came before the delay was over");
    assertEquals([second!.id, second!.deliveries, second!.failures], [first!.id, 2, 1]);
    await other.fail([second!.receipt], undefined, 0);
    const [third] = await receive(one, 1);
    assertEquals([third!.deliveries, third!.failures], [3, 2]);
    await one.giveBack([third!.receipt]);
    const [fourth] = await receive(one, 1);
    assertEquals([fourth!.deliveries, fourth!.failures], [3, 2]);
    await one.ack([fourth!.receipt]);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });

  law(
    "a lease that is not extended runs out, which is a delivery and no failure",
    async ({ one, other }) => {
      await one.send(["a"]);
      const takenAt = performance.now();
      const [first] = await receive(one, 1);
      const [second] = await receive(other, 1);
      assert(performance.now() - takenAt > 395, "it came before the lease was over");
      assertEquals([second!.id, second!.deliveries, second!.failures], [first!.id, 2, 0]);
      // The first worker was only slow: its work counts.
      await one.ack([first!.receipt]);
      assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
      await other.ack([second!.receipt]);
    },
    400,
  );

  law("who is worked on alone is counted, unless that comes to an end", async ({ one, other }) => {
    await one.send(["a"]);
    const [first] = await receive(one, 1);
    assertEquals(first!.isolations, 0);
    await one.isolate(first!.receipt);
    await one.giveBack([first!.receipt]);
    const [second] = await receive(other, 1);
    assertEquals([second!.isolations, second!.deliveries], [0, 1]);
    await other.isolate(second!.receipt);
    // Its worker dies.
    const [third] = await receive(one, 1);
    assertEquals([third!.isolations, third!.deliveries, third!.failures], [1, 2, 0]);
    await one.giveBack([third!.receipt]);
    const [fourth] = await receive(one, 1);
    assertEquals([fourth!.isolations, fourth!.deliveries], [1, 2]);
    await one.isolate(fourth!.receipt);
    await one.fail([fourth!.receipt], undefined, 0);
    const [fifth] = await receive(other, 1);
    assertEquals([fifth!.isolations, fifth!.failures], [0, 1]);
    await other.ack([fifth!.receipt]);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  }, 2_000);

  law("a lease that is extended holds", async ({ one, other }) => {
    await one.send(["a"]);
    const [first] = await receive(one, 1);
    // A little longer than a lease in all, and much shorter each time.
    for (let round = 0; round < 5; round++) {
      await one.extend([first!.receipt]);
      assertEquals(await other.receive(1, { waitMs: 500, signal }), []);
    }
    await one.ack([first!.receipt]);
    assertEquals(await other.depth(), { waiting: 0, leased: 0, dead: 0 });
  }, 2_000);

  law("a dead letter is kept once, and never delivered", async ({ one, other }) => {
    await one.send(["a", "b"]);
    const [first, second] = await receive(one, 2);
    await one.deadLetter(first!, new Error("never"));
    await one.deadLetter(first!, new Error("never"));
    await one.ack([second!.receipt]);
    assertEquals(await other.depth(), { waiting: 0, leased: 0, dead: 1 });
    assertEquals(await receive(other, 1, 300), []);
  });

  law("an abandoned wait keeps no message", async ({ one, other }) => {
    for (let round = 0; round < 20; round++) {
      const controller = new AbortController();
      const waiting = one.receive(5, { waitMs: 10_000, signal: controller.signal });
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const sending = other.send([`${round}`]);
      controller.abort();
      const caught = await waiting;
      await sending;
      await one.giveBack(receiptsOf(caught));
      const [message] = await receive(other, 1);
      assertEquals([message?.body, message?.deliveries], [`${round}`, 1]);
      await other.ack([message!.receipt]);
    }
  });

  law("a wait ends with the first messages, not with a full batch", async ({ one, other }) => {
    const waiting = one.receive(100, { waitMs: 10_000, signal });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await other.send(["a"]);
    const deliveries = await waiting;
    assertEquals(bodiesOf(deliveries), ["a"]);
    await one.ack(receiptsOf(deliveries));
  });

  law("two workers at a time get every message once", async ({ one, other }) => {
    const count = 2_000;
    await one.send(Array.from({ length: count }, (_, index) => `${index}`));
    const seen: string[] = [];
    const work = async (queue: QueueSource<string>) => {
      while (seen.length < count) {
        const deliveries = await queue.receive(17, { waitMs: 100, signal });
        seen.push(...bodiesOf(deliveries));
        if (deliveries.length > 0) await queue.ack(receiptsOf(deliveries));
      }
    };
    await Promise.all([work(one), work(other)]);
    assertEquals([seen.length, new Set(seen).size], [count, count]);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });
}
