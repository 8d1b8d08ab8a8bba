import { test, type TestContext } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Delivery, QueueSource } from "@hosepipe/streams/queue";

/** A queue to be tested, as two workers see it. */
export interface QueueUnderTest {
  readonly one: QueueSource<string>;
  readonly other: QueueSource<string>;
  /** Deletes the queue and makes it again, as somebody else does while both work. */
  remake(): Promise<void>;
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
      await one.nack(receiptsOf(first));
      const again = await receive(other, 2);
      assertEquals(again.map(({ id }) => id).toSorted(), first.map(({ id }) => id).toSorted());
      assertEquals(again.map(({ deliveries, failures }) => [deliveries, failures]), [[1, 0], [
        1,
        0,
      ]]);
      await other.nack(receiptsOf(again));
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
    await one.nack([third!.receipt]);
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
    await one.isolate(first!.receipt, 0);
    await one.nack([first!.receipt]);
    const [second] = await receive(other, 1);
    assertEquals([second!.isolations, second!.deliveries], [0, 1]);
    await other.isolate(second!.receipt, 0);
    // Its worker dies.
    const [third] = await receive(one, 1);
    assertEquals([third!.isolations, third!.deliveries, third!.failures], [1, 2, 0]);
    await one.nack([third!.receipt]);
    const [fourth] = await receive(one, 1);
    assertEquals([fourth!.isolations, fourth!.deliveries], [1, 2]);
    await one.isolate(fourth!.receipt, 0);
    await one.fail([fourth!.receipt], undefined, 0);
    const [fifth] = await receive(other, 1);
    assertEquals([fifth!.isolations, fifth!.failures], [0, 1]);
    await other.ack([fifth!.receipt]);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  }, 2_000);

  law("whose worker has died of it, maybe, waits besides the lease", async ({ one, other }) => {
    await one.send(["a"]);
    const takenAt = performance.now();
    const [first] = await receive(one, 1);
    await one.isolate(first!.receipt, 700);
    await one.extend([first!.receipt]);
    const [second] = await receive(other, 1);
    assert(performance.now() - takenAt > 1_095, "it came before lease and delay were over");
    assertEquals([second!.id, second!.deliveries, second!.isolations], [first!.id, 2, 1]);
    await other.ack([second!.receipt]);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  }, 400);

  law(
    "what is not text that can be kept is refused, and all that is sent with it",
    async ({ one }) => {
      for (
        const [body, shown] of [
          [5, "5"],
          [true, "true"],
          [null, "null"],
          [undefined, "undefined"],
          [7n, "7n (a BigInt)"],
          [new ArrayBuffer(2), "an ArrayBuffer"],
          [new DataView(new ArrayBuffer(2)), "a DataView"],
          [{ a: 1 }, "an object"],
        ] as const
      ) {
        const error = await assertRejects(() => one.send(["a", body as never]), TypeError);
        assertEquals(
          error.message.replace("text or a Uint8Array", "text"),
          `Cannot send: bodies[1] must be text, got ${shown}`,
        );
      }
      for (const body of ["a\ud800", "\udc00b", "\udc00\ud800"]) {
        await assertRejects(
          () => one.send(["a", body]),
          TypeError,
          "Cannot send: bodies[1] must be text without lone surrogates, got ",
        );
      }
      await assertRejects(() => one.send("ab" as never), TypeError, "bodies must be an array");
      assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
    },
  );

  law(
    "a queue that is made again has other messages, and what was leased before is gone",
    async (queue) => {
      const { one, other } = queue;
      const replaced: string[] = [];
      await one.open(longLeaseMs, { onReplaced: () => replaced.push("one") });
      await other.open(longLeaseMs, { onReplaced: () => replaced.push("other") });
      await one.send(["a", "b", "c"]);
      const old = await receive(one, 3);
      await queue.remake();
      await other.send(["d", "e", "f"]);
      const [theirs] = await receive(other, 1);
      // None of these is a message that is there now, though the broker counts anew.
      await one.ack([old[0]!.receipt]);
      await one.ack(old.map(({ receipt }) => receipt));
      await one.extend([old[1]!.receipt]);
      await one.fail([old[1]!.receipt], new Error("no"), 0);
      await one.nack([old[2]!.receipt]);
      await one.deadLetter(old[2]!, new Error("no"));
      const mine = await receive(one, 2);
      assertEquals(bodiesOf([theirs!, ...mine]).toSorted(), ["d", "e", "f"]);
      assert(mine.every(({ failures, isolations }) => failures === 0 && isolations === 0));
      assertEquals(new Set([...old, ...mine, theirs!].map(({ id }) => id)).size, 6);
      assertEquals(replaced.toSorted(), ["one", "other"]);
      await one.deadLetter(mine[0]!, new Error("no"));
      await one.ack([mine[1]!.receipt]);
      await other.ack([theirs!.receipt]);
      const { waiting, leased } = await one.depth();
      assertEquals([waiting, leased], [0, 0]);
    },
  );

  law("messages are left in the queue that would be too large together", async ({ one, other }) => {
    await one.send(["1", "2", "3", "4", "5"].map((text) => text.repeat(1_000)));
    const take = async (queue: QueueSource<string>, max: number, maxBytes: number) => {
      const deliveries = await queue.receive(max, { waitMs: 5_000, maxBytes, signal });
      for (const delivery of deliveries) assertEquals(await delivery.load?.() ?? true, true);
      return deliveries;
    };
    const shown = (deliveries: readonly Delivery<string>[]) =>
      deliveries.map(({ body, deliveries }) => `${body[0]}${body.length} ${deliveries}`);
    const first = await take(one, 5, 2_900);
    assertEquals(shown(first), ["11000 1", "21000 1"]);
    const alone = await take(other, 5, 10);
    assertEquals(shown(alone), ["31000 1"]);
    const rest = await take(other, 5, 1_000_000);
    assertEquals(shown(rest), ["41000 1", "51000 1"]);
    await one.ack(receiptsOf([...first]));
    await other.ack(receiptsOf([...alone, ...rest]));
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });

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
      await one.nack(receiptsOf(caught));
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
