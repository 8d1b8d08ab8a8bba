import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { DeadLetters, Delivery, QueueSource, SendOptions } from "@hosepipe/streams/queue";
import type { QueueUnderTest } from "./_laws.ts";

/** A queue that can all that a sender may ask. */
export interface SendingQueue extends QueueSource<string> {
  readonly dead: DeadLetters<string>;
  send(bodies: readonly string[], options?: SendOptions): Promise<void>;
  oldestAgeMs(): Promise<number>;
}

const longLeaseMs = 120_000;
const { signal } = new AbortController();

async function take(queue: QueueSource<string>, max = 10, waitMs = 0): Promise<Delivery<string>[]> {
  return await queue.receive(max, { waitMs, signal });
}
const bodiesOf = (deliveries: readonly Delivery<string>[]) => deliveries.map(({ body }) => body);
const receiptsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ receipt }) => receipt);

/** What holds for every adapter that keeps ids, delays, an order per key, and dead letters. */
export function testSendLaws(
  name: string,
  skip: string | false,
  withQueue: (leaseMs: number, use: (queue: QueueUnderTest) => Promise<void>) => Promise<void>,
): void {
  const law = (title: string, use: (one: SendingQueue, other: SendingQueue) => Promise<void>) =>
    test(`${name}: ${title}`, { skip }, () =>
      withQueue(longLeaseMs, async ({ one, other }) => {
        await one.open(longLeaseMs);
        await other.open(longLeaseMs);
        await use(one as SendingQueue, other as SendingQueue);
        await one.close();
        await other.close();
      }));

  law("a message whose id is in the queue is not added again", async (one, other) => {
    await one.send(["a", "b", "a again"], { ids: ["x", "y", "x"] });
    await other.send(["b again", "c"], { ids: ["y", "z"] });
    const taken = await take(one);
    assertEquals(taken.map(({ id, body }) => [id, body]), [["x", "a"], ["y", "b"], ["z", "c"]]);
    await other.send(["leased"], { ids: ["x"] });
    assertEquals(await take(other), []);
    await one.ack(receiptsOf(taken));
    await one.send(["a later"], { ids: ["x"] });
    const later = await take(other);
    assertEquals(later.map(({ id, body }) => [id, body]), [["x", "a later"]]);
    // Failed, it is the same message.
    await other.fail(receiptsOf(later), new Error("no"), 0);
    await one.send(["a while it waits"], { ids: ["x"] });
    const again = await take(one, 10, 10_000);
    assertEquals(again.map(({ id, body, failures }) => [id, body, failures]), [[
      "x",
      "a later",
      1,
    ]]);
    await one.ack(receiptsOf(again));
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });

  law("an id that is remembered is not added again, done or not", async (one, other) => {
    await one.send(["a", "b"], { ids: ["x", "y"], rememberMs: 60_000 });
    await one.send(["short"], { ids: ["short"], rememberMs: 1 });
    const taken = await take(one);
    assertEquals(bodiesOf(taken), ["a", "b", "short"]);
    await other.send(["a again", "c"], { ids: ["x", "z"], rememberMs: 60_000 });
    await one.ack(receiptsOf(taken));
    await other.send(["b again"], { ids: ["y"], rememberMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.send(["short again"], { ids: ["short"], rememberMs: 60_000 });
    const rest = await take(other);
    assertEquals(bodiesOf(rest), ["c", "short again"]);
    await other.ack(receiptsOf(rest));
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });

  law("what is sent for later comes then, and wakes who waits", async (one, other) => {
    const dueAt = Date.now() + 900;
    await one.send(["later"], { notBefore: new Date(dueAt) });
    await one.send(["much later"], { notBefore: new Date(Date.now() + 10 * 86_400_000) });
    await one.send(["past"], { notBefore: new Date(0) });
    await one.send(["now"]);
    const first = await take(other);
    assertEquals(bodiesOf(first), ["past", "now"]);
    assertEquals(await one.depth(), { waiting: 2, leased: 2, dead: 0 });
    const later = await take(other, 10, 30_000);
    // The server's clock and ours may be rounded.
    assert(Date.now() >= dueAt - 5, "it came before its time");
    assertEquals(bodiesOf(later), ["later"]);
    await other.ack(receiptsOf([...first, ...later]));
    assertEquals(await one.depth(), { waiting: 1, leased: 0, dead: 0 });
    assertEquals(await take(one), []);
  });

  law("of one key one message is in work, in order, failures included", async (one, other) => {
    const keys = ["k", "k", undefined, "m", "k", undefined];
    await one.send(["k1", "k2", "free1", "m1", "k3", "free2"], { keys });
    const first = await take(one);
    assertEquals(bodiesOf(first).toSorted(), ["free1", "free2", "k1", "m1"]);
    await other.send(["k4", "m2"], { keys: ["k", "m"] });
    assertEquals(await take(other), []);
    const of = (body: string, among = first) => among.find((one) => one.body === body)!;
    await one.ack(receiptsOf([of("free1"), of("free2"), of("m1")]));
    assertEquals(bodiesOf(await take(other)), ["m2"]);
    // It waits, and so do those behind it.
    await one.fail([of("k1").receipt], new Error("no"), 500);
    const again = await take(other, 10, 20_000);
    assertEquals(again.map(({ body, failures }) => [body, failures]), [["k1", 1]]);
    await other.nack(receiptsOf(again));
    const third = await take(one);
    assertEquals(bodiesOf(third), ["k1"]);
    await one.ack(receiptsOf(third));
    await one.ack(receiptsOf(third));
    const fourth = await take(other);
    assertEquals(bodiesOf(fourth), ["k2"]);
    // Who is dead holds back no other.
    await other.deadLetter(fourth[0]!, new Error("never"));
    const fifth = await take(one);
    assertEquals(bodiesOf(fifth), ["k3"]);
    await one.ack(receiptsOf(fifth));
    const sixth = await take(one);
    assertEquals(bodiesOf(sixth), ["k4"]);
    await one.ack(receiptsOf(sixth));
    assertEquals((await one.depth()).waiting, 0);
  });

  law("two workers keep the order of every key", async (one, other) => {
    const count = 400;
    const bodies = Array.from({ length: count }, (_, index) => `${index % 7} ${index}`);
    await one.send(bodies, { keys: bodies.map((body) => body[0]) });
    const seen = new Map<string, number[]>();
    let done = 0;
    let inWork = new Set<string>();
    const work = async (queue: SendingQueue) => {
      while (done < count) {
        const deliveries = await take(queue, 3, 50);
        for (const { body } of deliveries) {
          const [key, index] = body.split(" ");
          assert(!inWork.has(key!), `two of key ${key} are in work`);
          inWork.add(key!);
          seen.set(key!, [...seen.get(key!) ?? [], Number(index)]);
        }
        await new Promise((resolve) => setTimeout(resolve, 0));
        for (const { body } of deliveries) inWork.delete(body[0]!);
        await queue.ack(receiptsOf(deliveries));
        done += deliveries.length;
      }
    };
    await Promise.all([work(one), work(other)]);
    inWork = new Set();
    assertEquals(seen.size, 7);
    for (const indexes of seen.values()) {
      assertEquals(indexes, indexes.toSorted((a, b) => a - b));
    }
  });

  law("the oldest message's age is that since it is due", async (one) => {
    assertEquals(await one.oldestAgeMs(), 0);
    await one.send(["future"], { notBefore: new Date(Date.now() + 86_400_000) });
    assertEquals(await one.oldestAgeMs(), 0);
    await one.send(["a"]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await one.send(["b"]);
    const [first] = await take(one, 1);
    // Leased, it is still not done.
    const age = await one.oldestAgeMs();
    assert(age >= 45 && age < 80_000_000, `${age}`);
    await one.ack([first!.receipt]);
    const younger = await one.oldestAgeMs();
    assert(younger >= 0 && younger < 80_000_000, `${younger}`);
  });

  law("dead letters are listed, replayed and purged", async (one, other) => {
    assertEquals(await one.dead.list(), []);
    await one.send(["a", "b\0", "", "d"], { keys: ["k", undefined, undefined, undefined] });
    const taken = await take(one);
    for (const delivery of taken) await one.deadLetter(delivery, new Error(`no ${delivery.body}`));
    const letters = await other.dead.list();
    assertEquals(letters.map(({ id }) => id), taken.map(({ id }) => id));
    assertEquals(letters.map(({ body, deliveries, failures }) => [body, deliveries, failures]), [
      ["a", 1, 0],
      ["b\0", 1, 0],
      ["", 1, 0],
      ["d", 1, 0],
    ]);
    assertEquals(letters[0]!.reason, "Error: no a");
    assert(Math.abs(letters[0]!.diedAt.getTime() - Date.now()) < 3_600_000);
    const page = await one.dead.list({ limit: 2, after: letters[0]!.id });
    assertEquals(page.map(({ id }) => id), [letters[1]!.id, letters[2]!.id]);
    assertEquals(await one.dead.list({ after: letters[3]!.id }), []);

    assertEquals(await one.dead.replay([letters[0]!.id, letters[1]!.id, "none"]), 2);
    assertEquals(await one.dead.replay([letters[0]!.id]), 0);
    const again = await take(other);
    assertEquals(
      again.map(({ id, body, deliveries, failures }) => [id, body, deliveries, failures]),
      [[letters[0]!.id, "a", 1, 0], [letters[1]!.id, "b\0", 1, 0]],
    );
    await other.ack(receiptsOf(again));
    assertEquals(await one.dead.purge([letters[2]!.id, letters[2]!.id]), 1);
    assertEquals((await one.dead.list()).map(({ body }) => body), ["d"]);
    assertEquals(await one.dead.replay(), 1);
    assertEquals(await one.depth(), { waiting: 1, leased: 0, dead: 0 });
    const [last] = await take(one);
    await one.deadLetter(last!, undefined);
    assertEquals(await one.dead.purge(), 1);
    assertEquals(await one.dead.purge(), 0);
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });

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

  law("what is asked wrongly of a sender is refused before anything is sent", async (one) => {
    const refused = async (
      options: unknown,
      type: typeof TypeError | typeof RangeError,
      why: string,
    ) => {
      await assertRejects(() => one.send(["a", "b"], options as SendOptions), type, why);
    };
    await refused(
      { ids: ["x"] },
      RangeError,
      "Cannot send: ids must be as many as bodies, 2, got 1",
    );
    await refused({ ids: ["x", ""] }, TypeError, "ids[1] must be text that is not empty");
    await refused({ keys: ["x"] }, RangeError, "keys must be as many as bodies, 2, got 1");
    await refused({ keys: [undefined, 5] }, TypeError, "keys[1] must be text that is not empty");
    await refused({ rememberMs: 5 }, TypeError, "Cannot send: rememberMs needs ids");
    await refused({ ids: ["x", "y"], rememberMs: 0 }, RangeError, "rememberMs must be a positive");
    await refused({ notBefore: 5 }, TypeError, "notBefore must be a Date, got 5");
    await refused({ notBefore: new Date(NaN) }, RangeError, "notBefore must be a valid Date");
    await refused({ key: "x" }, TypeError, 'unknown option "key"');
    await assertRejects(() => one.dead.list({ limit: 0 }), RangeError, "limit must be a positive");
    await assertRejects(
      () => one.dead.list({ after: 5 as never }),
      TypeError,
      "after must be text",
    );
    await assertRejects(() => one.dead.replay("x" as never), TypeError, "ids must be an array");
    await assertRejects(() => one.dead.purge([5 as never]), TypeError, "ids[0] must be text");
    assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
  });
}
