import fc from "fast-check";
import type { ConsumerEvent, Receipt } from "@hosepipe/streams/queue";
import { virtualTime } from "@hosepipe/streams/testing";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import type { ConsumerSettings } from "../../src/queue/ledger.ts";
import type { LeasedMessage } from "../../src/queue/message.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { admitAll, ledgerOf, MemoryQueue, numbers } from "./_memory_queue.ts";

type Message = LeasedMessage<string>;

/** A ledger of a queue that has `count` messages, all of them leased. */
async function leased(count: number, settings: Partial<ConsumerSettings> = {}) {
  const queue = new MemoryQueue(numbers(count));
  const events: ConsumerEvent[] = [];
  const onEvent = (event: ConsumerEvent) => events.push(event);
  const ledger = ledgerOf(queue, { maxInFlight: count, onEvent, ...settings });
  const messages = await admitAll(queue, ledger);
  return { queue, ledger, messages, events };
}

/** Gives a message some outputs, as its run would. */
function give(message: Message, count: number): void {
  message.outputs += count;
}

test("a message is acknowledged once it is complete and each of its outputs is stored, and only once", async () => {
  const { queue, ledger, messages } = await leased(4);
  const [none, before, after, failed] = messages as [Message, Message, Message, Message];
  for (const message of messages) ledger.begin(message);
  ledger.complete(none);
  await until(() => queue.acknowledged.length > 0);
  assertEquals(queue.acknowledged, ["0"]);

  give(before, 2);
  ledger.store([before, before]);
  await turns(2);
  assertEquals(queue.acknowledged, ["0"]);
  ledger.complete(before);
  await until(() => queue.acknowledged.length > 1);

  give(after, 3);
  ledger.store([after]);
  ledger.complete(after);
  ledger.store([after]);
  await turns(2);
  assertEquals(queue.acknowledged, ["0", "1"]);
  ledger.store([after]);
  await until(() => queue.acknowledged.length > 2);
  ledger.complete(after);

  give(failed, 1);
  ledger.fail(failed, "no");
  ledger.complete(failed);
  ledger.store([failed]);
  await ledger.whenSettled();
  await turns(2);
  assertEquals(queue.acknowledged, ["0", "1", "2"]);
  assertEquals(queue.failed.map(([id]) => id), ["3"]);
  assertEquals(ledger.counts, { received: 4, acknowledged: 3, failed: 1, dead: 0, nacked: 0 });
});

test("one acknowledgement is under way at a time, and the next is of all that came meanwhile", async () => {
  const { queue, ledger, messages } = await leased(6);
  const asked: string[][] = [];
  let gate = Promise.withResolvers<void>();
  let inFlight = 0;
  queue.ack = async (receipts: readonly Receipt[]) => {
    assertEquals(++inFlight, 1);
    asked.push(receipts.map(({ id }) => id as string));
    await gate.promise;
    inFlight--;
  };
  for (const message of messages) ledger.begin(message);
  ledger.complete(messages[0]!);
  ledger.complete(messages[1]!);
  await until(() => asked.length === 1);
  for (const index of [2, 3]) ledger.complete(messages[index]!);
  give(messages[4]!, 1);
  ledger.complete(messages[4]!);
  ledger.store([messages[4]!]);
  await turns(3);
  assertEquals([asked, ledger.unsettled], [[["0", "1"]], 6]);
  const first = gate;
  gate = Promise.withResolvers();
  first.resolve();
  await until(() => asked.length === 2);
  assertEquals([asked[1], ledger.unsettled], [["2", "3", "4"], 4]);
  gate.resolve();
  await until(() => ledger.unsettled === 1);
  ledger.complete(messages[5]!);
  await ledger.whenSettled();
  assertEquals(asked.slice(2), [["5"]]);
});

test("a failure is delayed twice as long each time, an hour at most, and the last one is a death", async () => {
  const { queue, ledger, events } = await leased(0, { maxFailures: 40, retryDelayMs: 1_000 });
  const wanted: [failures: number, delayMs: number][] = [
    ...[[0, 1_000], [1, 2_000], [5, 32_000], [11, 2_048_000], [12, 3_600_000]],
    ...[[38, 3_600_000]],
  ] as [number, number][];
  const fail = (failures: number) => {
    queue.add(`${failures}`, "", failures, failures);
    const delivery = { id: `${failures}`, body: "", deliveries: failures + 1, failures };
    const message = ledger.admit({
      ...delivery,
      isolations: 0,
      receipt: { id: `${failures}` } as Receipt,
    });
    ledger.begin(message);
    ledger.fail(message, "no");
  };
  for (const [failures] of wanted) fail(failures);
  await ledger.whenSettled();
  const delays = queue.failed.map(([id, , delayMs]) => [Number(id), delayMs]);
  assertEquals(delays, wanted);
  fail(39);
  await ledger.whenSettled();
  assertEquals([queue.failed.length, queue.dead], [wanted.length, [["39", "no"]]]);
  assertEquals(events.map(({ kind }) => kind), [...wanted.map(() => "failure"), "dead"]);
});

test("what is waiting, begun or complete is given back; what is settled or about to be is not", async () => {
  const { queue, ledger, messages } = await leased(5);
  const [, begun, complete, failed, acknowledged] = messages;
  for (const message of messages.slice(1)) ledger.begin(message);
  give(complete!, 1);
  ledger.complete(complete!);
  ledger.fail(failed!, "no");
  ledger.complete(acknowledged!);
  await ledger.nackRest((message) => message === begun);
  assertEquals(queue.nacked, ["0", "2"]);
  await ledger.nack(messages);
  assertEquals(queue.nacked, ["0", "2", "1"]);
  await ledger.whenSettled();
  assertEquals([queue.acknowledged, queue.failed.length, queue.leased], [["4"], 1, 0]);
  const { length } = queue.nacked;
  await ledger.nackRest();
  assertEquals(queue.nacked.length, length);
  assertEquals(ledger.counts, { received: 5, acknowledged: 1, failed: 1, dead: 0, nacked: 3 });
});

test("room is what may still be leased; stuck is who waits for the store alone", async () => {
  const { ledger, messages } = await leased(2, { maxInFlight: 3 });
  let stuck = 0;
  ledger.onStuck = () => stuck++;
  const [one, two] = messages as [Message, Message];
  assertEquals([ledger.unsettled, ledger.room, ledger.isStuck], [2, 1, false]);
  ledger.begin(one);
  ledger.begin(two);
  give(one, 1);
  give(two, 1);
  ledger.complete(one);
  assertEquals(ledger.isStuck, false, "another runs");
  ledger.complete(two);
  assertEquals([ledger.isStuck, stuck], [false, 0], "there is room for another");
  ledger.isShut = true;
  assertEquals(ledger.isStuck, true, "no other is begun");
  ledger.isShut = false;
  const third = ledger.admit({
    ...{ id: "3", body: "", deliveries: 1, failures: 0, isolations: 0 },
    receipt: { id: "3" } as Receipt,
  });
  assertEquals([ledger.room, ledger.isStuck], [0, false], "one waits to be begun");
  ledger.begin(third);
  assertEquals(ledger.isStuck, false, "one runs");
  give(third, 1);
  ledger.complete(third);
  assertEquals([ledger.isStuck, stuck], [true, 1]);
  ledger.fail(two, "no");
  assertEquals(ledger.isStuck, true, "until it is settled");
  await until(() => ledger.room === 1);
  assertEquals(ledger.isStuck, false);
});

test("what is given back or dead before it was begun is not waited for", async () => {
  const { ledger, messages, queue } = await leased(3, { maxInFlight: 1 });
  const [given, dead, done] = messages as [Message, Message, Message];
  ledger.begin(done);
  give(done, 1);
  ledger.complete(done);
  assertEquals(ledger.isStuck, false, "two wait to be begun");
  await ledger.nack([given]);
  assertEquals(ledger.isStuck, false, "one waits to be begun");
  ledger.deadLetter(dead, "no");
  await until(() => ledger.unsettled === 1);
  assertEquals([ledger.isStuck, queue.dead], [true, [["1", "no"]]]);
  ledger.deadLetter(dead, "again");
  await turns(3);
  assertEquals([ledger.isStuck, queue.dead.length, ledger.counts.dead], [true, 1, 1]);
});

test("what fails while it runs, or after its run, runs no more", async () => {
  const { ledger, messages } = await leased(4);
  for (const message of messages) {
    ledger.begin(message);
    give(message, 1);
  }
  ledger.isShut = true;
  ledger.complete(messages[0]!);
  ledger.fail(messages[0]!, "after its run");
  ledger.fail(messages[1]!, "in its run");
  void ledger.nack([messages[2]!]);
  assertEquals(ledger.isStuck, false, "the last one runs");
  ledger.complete(messages[3]!);
  assertEquals(ledger.isStuck, true);
  await until(() => ledger.unsettled === 1);
  assertEquals(ledger.isStuck, true);
});

test("who is stuck is asked again when a message is settled and the others still are", async () => {
  const { ledger, messages } = await leased(2, { maxInFlight: 2 });
  for (const message of messages) {
    ledger.begin(message);
    give(message, 1);
    ledger.complete(message);
  }
  let stuck = 0;
  ledger.onStuck = () => stuck++;
  ledger.isShut = true;
  ledger.fail(messages[0]!, "no");
  assertEquals(stuck, 0);
  await until(() => ledger.unsettled === 1);
  assertEquals(stuck, 1);
});

test("in whatever order messages are settled, those that are left are known, and their leases extended", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }).chain((count) =>
        fc.shuffledSubarray(numbers(count), { minLength: count, maxLength: count })
      ),
      async (order) => {
        await using time = virtualTime();
        const { queue, ledger, messages } = await time.run(leased(order.length, { leaseMs: 30 }));
        let extended: string[] = [];
        queue.extend = (receipts: readonly Receipt[]) => {
          extended = receipts.map(({ id }) => id as string);
          return Promise.resolve();
        };
        const left = new Set(numbers(order.length));
        for (const id of order) {
          await time.advance(10);
          assertEquals(new Set(extended), left);
          assertEquals([ledger.unsettled, extended.length], [left.size, left.size]);
          await time.run(ledger.nack([messages[Number(id)]!]));
          left.delete(id);
        }
        extended = [];
        await time.advance(100);
        assertEquals([ledger.unsettled, extended], [0, []]);
      },
    ),
    { numRuns: 25 },
  );
});

test("an outage is told once, and so is its end; of the broker and the store by themselves", async () => {
  const { queue, ledger, messages, events } = await leased(2);
  const told = () =>
    events.splice(0).map((event) => "of" in event ? `${event.kind} ${event.of}` : event.kind);
  ledger.recovery("store");
  ledger.outage("store", "full");
  ledger.outage("store", "full");
  ledger.outage("broker", "away");
  assertEquals(told(), ["outage store", "outage broker"]);
  ledger.recovery("broker");
  ledger.recovery("broker");
  assertEquals(told(), ["recovery broker"]);
  ledger.recovery("store");
  assertEquals(told(), ["recovery store"]);
  let calls = 0;
  queue.fault = (method) => {
    assertEquals(method, "nack");
    if (++calls < 3) throw new Error("away");
  };
  await ledger.nack(messages);
  assertEquals([told(), calls], [["outage broker", "recovery broker"], 3]);
});

test("leases are extended three times in one, once a millisecond at most, and not while an answer is awaited", async () => {
  await using time = virtualTime();
  for (const [leaseMs, everyMs] of [[30_000, 10_000], [8, 2], [3, 1], [2, 1], [1, 1]] as const) {
    const { queue, ledger, messages } = await time.run(leased(2, { leaseMs }));
    const startedAt = time.now;
    const extendedAt: number[] = [];
    const answer = Promise.withResolvers<void>();
    queue.extend = () => {
      extendedAt.push(time.now - startedAt);
      return extendedAt.length === 2 ? answer.promise : Promise.resolve();
    };
    await time.advance(5 * everyMs);
    assertEquals(extendedAt, [everyMs, 2 * everyMs], `${leaseMs}`);
    answer.resolve();
    await time.advance(everyMs);
    assertEquals(extendedAt.slice(2), [6 * everyMs]);
    await time.run(ledger.nack(messages));
    assertEquals(time.timers, 0);
  }
});

test("an extension that fails is an outage, not the end of the others", async () => {
  await using time = virtualTime();
  const { queue, ledger, messages, events } = await time.run(leased(1));
  queue.fault = () => {
    throw "away";
  };
  await time.advance(9_900);
  assertEquals(events, []);
  await time.advance(200);
  assertEquals(events, [{ kind: "outage", of: "broker", reason: "away" }]);
  queue.fault = () => {};
  await time.advance(10_000);
  assertEquals(queue.extended, 1);
  await time.run(ledger.nack(messages));
  await time.advance(100_000);
  assertEquals(queue.extended, 1);
});

test("a message that is worked on alone is noted until that succeeds, or the time is over", async () => {
  const { queue, ledger, messages, events } = await leased(1);
  let calls = 0;
  queue.fault = () => {
    if (++calls === 1) throw "away";
  };
  assertEquals(await ledger.isolate(messages[0]!), true);
  assertEquals([queue.isolated, calls, events.length], [[["0", 1]], 2, 1]);
  queue.fault = () => {
    throw "away";
  };
  ledger.abandon("over");
  assertEquals(await ledger.isolate(messages[0]!), false);
});

test("what onEvent throws is no message's failure: it is thrown by itself", async () => {
  const mistake = new Error("a mistake in onEvent");
  const { queue, ledger, messages } = await leased(1, {
    onEvent() {
      throw mistake;
    },
  });
  ledger.begin(messages[0]!);
  const { queueMicrotask: queueTask } = globalThis;
  const tasks: (() => void)[] = [];
  globalThis.queueMicrotask = (task) => void tasks.push(task);
  try {
    ledger.fail(messages[0]!, "no");
  } finally {
    globalThis.queueMicrotask = queueTask;
  }
  assertEquals(tasks.length, 1);
  assertStrictEquals(assertThrows(tasks[0]!), mistake);
  await ledger.whenSettled();
  assert(queue.failed.length === 1);
});
