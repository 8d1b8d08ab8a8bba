import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { DeadLetters, QueueSource, SendOptions } from "@hosepipe/streams/queue";
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

/** What every adapter says of a body that it refuses. */
export function testRefusals(name: string, skip: string | false, lend: LendQueue): void {
  const law = lawsOf(name, skip, lend);
  law(
    "what is not text that can be kept is refused, and all that is sent with it",
    async (one) => {
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
