import type { ConsumerEvent, Delivery, OpenOptions } from "@hosepipe/streams/queue";
import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { ConsumerSettings, Ledger } from "../../src/queue/ledger.ts";
import type { LeasedMessage } from "../../src/queue/message.ts";
import { Receiver, Suspicion } from "../../src/queue/receiver.ts";
import { errorOf } from "../lib/error_of.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { holdReceived, ledgerOf, MemoryQueue, numbers } from "./_memory_queue.ts";

function suspicionOf(orphans?: () => Promise<number>) {
  const told: string[] = [];
  const stopped = new AbortController();
  const ledger = {
    queue: { orphans },
    settings: { maxSuspicions: 5, leaseMs: 30 },
    outage: (of: string, reason: unknown) => told.push(`outage of ${of}: ${reason}`),
    recovery: (of: string) => told.push(`recovery of ${of}`),
  };
  const suspicion = new Suspicion<string>(ledger as unknown as Ledger<string>, stopped.signal);
  return { suspicion, told, stopped };
}

function handedOver(id: string, isolations: number): Delivery<string> {
  return { id, body: "", receipt: { id }, deliveries: 3 + isolations, failures: 0, isolations };
}

/** At how many deaths a message is found guilty: by orphans, what else was handed over, deaths not alone with it. */
async function guiltyAt(
  orphans: number | undefined,
  others: readonly number[] = [],
  innocent: number = 0,
): Promise<number> {
  const ask = orphans === undefined ? undefined : () => Promise.resolve(orphans);
  const { suspicion } = suspicionOf(ask);
  await suspicion.look(others.map((isolations, index) => handedOver(`other ${index}`, isolations)));
  for (let deaths = 0;; deaths++) {
    const delivery = handedOver("one", deaths);
    await suspicion.look([delivery]);
    const { deliveries } = delivery;
    if (suspicion.isKiller({ ...delivery, deliveries: deliveries + innocent })) return deaths;
  }
}

test("for each that speaks for a message twice as many must have died of it, four times at most", async () => {
  const rows: readonly (readonly [deaths: number, ...Parameters<typeof guiltyAt>])[] = [
    ...([[5, 0], [10, 1], [20, 2], [20, 3], [20, 100]] as const),
    // What a worker was handed counts as well, however the queue answers, and where it has no answer.
    ...([[5, 0, [0, 0]], [10, 0, [1]], [20, 0, [1, 0, 1]], [20, 0, [1, 1, 1, 1]]] as const),
    ...([[5, 0, [2, 7]], [5, undefined], [10, undefined, [1]]] as const),
    // A worker that died with it, and had not begun it alone.
    ...([[10, undefined, [], 1], [20, undefined, [], 2], [20, undefined, [], 3]] as const),
  ];
  for (const [deaths, ...given] of rows) assertEquals(await guiltyAt(...given), deaths, `${given}`);
});

test("a worker that lives on with it says why it is dead, and one that stops does not", async () => {
  const ending = async (isolations: number, isStopped = false) => {
    const { suspicion, stopped } = suspicionOf();
    const message = { delivery: handedOver("one", isolations) } as LeasedMessage<string>;
    const reason = suspicion.outlive(message);
    if (isStopped) stopped.abort();
    return (await reason)?.message;
  };
  assertEquals(await ending(1), "1 worker has died while at work on it and on nothing else");
  assertEquals(await ending(5), "5 workers have died while at work on it and on nothing else");
  assertEquals(await ending(5, true), undefined);
});

test("the queue is asked only where a message may be found guilty, and anew each time", async () => {
  let asked = 0;
  const { suspicion, told } = suspicionOf(() => Promise.resolve(++asked));
  assertEquals(suspicion.look([handedOver("one", 4), handedOver("two", 0)]), undefined);
  assertEquals(asked, 0);
  const { suspicion: other } = suspicionOf(() => Promise.resolve(asked++));
  const guilty = handedOver("one", 5);
  await other.look([guilty]);
  assertEquals([asked, other.isKiller(guilty)], [1, true]);
  await other.look([guilty]);
  assertEquals([asked, other.isKiller(guilty)], [2, false]);
  assertEquals(told, []);
});

test("a queue that cannot answer is asked again, which is an outage", async () => {
  let asked = 0;
  const { suspicion, told } = suspicionOf(() => {
    return ++asked < 3 ? Promise.reject(new Error("away")) : Promise.resolve(0);
  });
  const guilty = handedOver("one", 5);
  await suspicion.look([guilty]);
  assertEquals([asked, suspicion.isKiller(guilty)], [3, true]);
  assertEquals(told, [...Array(2).fill("outage of broker: Error: away"), "recovery of broker"]);
});

test("nobody is found guilty if the worker stops before the queue has answered", async () => {
  const { suspicion, stopped } = suspicionOf(() => {
    stopped.abort();
    return Promise.reject(new Error("away"));
  });
  await suspicion.look([handedOver("one", 19)]);
  assertEquals(suspicion.isKiller(handedOver("one", 19)), false);
});

type Message = LeasedMessage<string>;

/** A receiver of a queue's messages. */
function intakeOf(queue: MemoryQueue, settings: Partial<ConsumerSettings> = {}) {
  const events: ConsumerEvent[] = [];
  const onEvent = (event: ConsumerEvent) => events.push(event);
  const ledger = ledgerOf(queue, { maxInFlight: 4, onEvent, ...settings });
  return { queue, ledger, receiver: new Receiver(ledger), events };
}

/** Takes `count` messages. */
async function take(receiver: Receiver<string>, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) messages.push((await receiver.next())!);
  return messages;
}

/** The work on a message is done, and the queue knows it. */
async function finish(ledger: Ledger<string>, message: Message): Promise<void> {
  ledger.complete(message);
  while (message.phase !== "settled") await ledger.changed.wait();
}

test("as many are asked for as there is room, and more once half of the places are free", async () => {
  const { queue, ledger, receiver } = intakeOf(new MemoryQueue(numbers(20)));
  assertEquals(queue.asked, [], "nothing is leased before it is wanted");
  const [first] = await take(receiver, 1);
  assertEquals([first!.id, first!.phase, queue.asked, queue.leased], ["0", "begun", [4], 4]);
  const second = receiver.next() as Message;
  assertEquals(second.id, "1", "what lies ready needs no promise");
  const [third] = await take(receiver, 1);
  await finish(ledger, first!);
  const [fourth] = await take(receiver, 1);
  await turns(2);
  assertEquals([fourth!.id, queue.asked], ["3", [4]], "one place of four is free");
  await finish(ledger, second);
  const [fifth] = await take(receiver, 1);
  assertEquals([fifth!.id, queue.asked], ["4", [4, 2]]);
  await finish(ledger, third!);
  await finish(ledger, fourth!);
  const [sixth] = await take(receiver, 1);
  await until(() => queue.asked.length === 3);
  assertEquals([sixth!.id, queue.asked], ["5", [4, 2, 2]]);
  assertEquals(queue.peak, 4);
  receiver.stop();
  await receiver.closed();
});

test("who waits for a message is told of the end, and what comes too late is given back", async () => {
  const queue = new MemoryQueue(numbers(3));
  const gate = holdReceived(queue);
  const { ledger, receiver } = intakeOf(queue);
  const next = Promise.resolve(receiver.next());
  await until(() => queue.leased === 3);
  const closed = receiver.closed();
  assertEquals((await settledWithin(closed, 5)).state, "pending", "a call is under way");
  gate.resolve();
  await closed;
  assertEquals(await next, undefined);
  await ledger.whenSettled();
  assertEquals([queue.nacked, queue.leased, queue.acknowledged], [["0", "1", "2"], 0, []]);
  assertEquals(await receiver.next(), undefined);
  assertEquals(queue.asked, [4]);
});

test("a stop gives back what lies ready at once, and begins nothing more", async () => {
  const { queue, ledger, receiver } = intakeOf(new MemoryQueue(numbers(9)));
  const [first] = await take(receiver, 1);
  let stuck = 0;
  ledger.onStuck = () => stuck++;
  receiver.stop();
  assertEquals([ledger.isShut, stuck], [true, 0], "one runs");
  assertEquals(await receiver.next(), undefined);
  await until(() => queue.nacked.length === 3);
  assertEquals([queue.nacked, queue.leased], [["1", "2", "3"], 1]);
  first!.outputs++;
  ledger.complete(first!);
  assertEquals(stuck, 1);
  receiver.stop();
  assertEquals(stuck, 1);
});

test("a stop tells who waits for the store alone that nothing else comes", async () => {
  const { ledger, receiver } = intakeOf(new MemoryQueue(numbers(1)));
  const [only] = await take(receiver, 1);
  only!.outputs++;
  ledger.complete(only!);
  let stuck = 0;
  ledger.onStuck = () => stuck++;
  receiver.stop();
  assertEquals(stuck, 1);
});

test("who waits for room hears of the end", async () => {
  const { queue, receiver } = intakeOf(new MemoryQueue(numbers(9)), { maxInFlight: 1 });
  await take(receiver, 1);
  const next = Promise.resolve(receiver.next());
  assertEquals((await settledWithin(next, 5)).state, "pending");
  receiver.stop();
  assertEquals(await next, undefined);
  assertEquals([queue.asked, queue.leased], [[1], 1]);
});

test("a queue that is not there fails whoever asks, and is not asked for messages", async () => {
  const queue = new MemoryQueue(numbers(1));
  let opened = 0;
  queue.fault = (method) => {
    if (method === "open" && ++opened === 1) throw "no such stream";
  };
  const { receiver } = intakeOf(queue);
  for (let round = 0; round < 2; round++) {
    assertEquals(await errorOf(Promise.resolve(receiver.next())), ["no such stream"]);
  }
  assertEquals([opened, queue.asked], [1, []]);
});

test("a broker that refuses is asked again, is an outage, and then none; a stop ends the asking", async () => {
  const queue = new MemoryQueue(numbers(2));
  let calls = 0;
  queue.fault = (method) => {
    if (method === "receive" && ++calls < 3) throw "away";
  };
  const { receiver, events } = intakeOf(queue, { maxInFlight: 1 });
  assertEquals((await take(receiver, 1))[0]!.id, "0");
  assertEquals(events, [
    { kind: "outage", of: "broker", reason: "away" },
    { kind: "recovery", of: "broker" },
  ]);
  const away = intakeOf(new MemoryQueue(numbers(1)));
  (away.ledger.queue as MemoryQueue).fault = (method) => {
    if (method === "receive") throw "away";
  };
  const next = Promise.resolve(away.receiver.next());
  await until(() => away.events.length === 1);
  const { asked } = away.ledger.queue as MemoryQueue;
  const { length } = asked;
  await away.receiver.closed();
  assertEquals([await next, asked.length], [undefined, length]);
});

test("an answer that is no list is an outage, and the queue is asked again", async () => {
  const queue = new MemoryQueue(numbers(1));
  const receive = queue.receive.bind(queue);
  let calls = 0;
  queue.receive = (max, options) =>
    ++calls === 1 ? Promise.resolve(undefined as never) : receive(max, options);
  const { receiver, events } = intakeOf(queue);
  assertEquals((await take(receiver, 1))[0]!.id, "0");
  assertEquals(events.map(({ kind }) => kind), ["outage", "recovery"]);
  await receiver.closed();
});

test("an answer that fails because of the stop is no outage", async () => {
  const queue = new MemoryQueue();
  queue.receive = (_max, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject("stopped")));
  const { receiver, events } = intakeOf(queue);
  const next = Promise.resolve(receiver.next());
  await turns(3);
  await receiver.closed();
  assertEquals([await next, events], [undefined, []]);
});

test("a message that had failed as often as it may is dead at once; one failure less, and it is begun", async () => {
  const queue = new MemoryQueue();
  queue.add("over", "", 9, 6);
  queue.add("at", "", 5, 5);
  queue.add("below", "", 4, 4);
  const { receiver, events } = intakeOf(queue);
  assertEquals((await take(receiver, 1))[0]!.id, "below");
  await until(() => queue.dead.length === 2);
  assertEquals(queue.dead.map(([id, reason]) => [id, (reason as Error).message]).toSorted(), [
    ["at", "It had failed 5 times"],
    ["over", "It had failed 6 times"],
  ]);
  assertEquals(events.map(({ kind }) => kind), ["dead", "dead"]);
});

test("the third delivery without a failure is worked on alone, the second is not", async () => {
  const queue = new MemoryQueue();
  queue.add("second", "", 1);
  queue.add("failed", "", 4, 3);
  queue.add("third", "", 2);
  queue.add("plain", "");
  const { ledger, receiver } = intakeOf(queue);
  const [second, failed] = await take(receiver, 2);
  assertEquals([second!.id, failed!.id, queue.isolated], ["second", "failed", []]);
  const next = Promise.resolve(receiver.next());
  await until(() => queue.nacked.length === 1);
  assertEquals([queue.nacked, ledger.isShut], [["plain"], true]);
  await finish(ledger, second!);
  assertEquals((await settledWithin(next, 5)).state, "pending", "another is not settled yet");
  await finish(ledger, failed!);
  const third = (await next)!;
  assertEquals([third.id, queue.isolated, queue.leased], ["third", [["third", 1]], 1]);
  const after = Promise.resolve(receiver.next());
  assertEquals((await settledWithin(after, 5)).state, "pending", "a suspect is worked on");
  assertEquals([queue.asked, ledger.isShut], [[4], true]);
  await finish(ledger, third);
  const plain = (await after)!;
  // It was asked for by itself: it might have been another suspect.
  assertEquals([plain.id, queue.asked.slice(0, 2), ledger.isShut], ["plain", [4, 1], false]);
  queue.add("later", "");
  await finish(ledger, plain);
  assertEquals((await take(receiver, 1))[0]!.id, "later");
  assertEquals(queue.asked[2], 3);
  await receiver.closed();
});

test("a stop while a suspect waits for the others gives it back without a note", async () => {
  const queue = new MemoryQueue();
  queue.add("plain", "");
  queue.add("suspect", "", 2);
  const { ledger, receiver } = intakeOf(queue);
  const [plain] = await take(receiver, 1);
  const next = Promise.resolve(receiver.next());
  await until(() => ledger.isShut);
  await turns(2);
  receiver.stop();
  assertEquals(await next, undefined);
  assertEquals([queue.isolated, queue.nacked], [[], ["suspect"]]);
  await finish(ledger, plain!);
  assertEquals(queue.entries.get("suspect")!.deliveries, 2);
});

test("a suspect waits for a call that is under way: what that leases is given back before", async () => {
  const queue = new MemoryQueue();
  queue.add("plain", "");
  queue.add("suspect", "", 2);
  const { ledger, receiver } = intakeOf(queue);
  const { receive } = queue;
  const gate = Promise.withResolvers<void>();
  queue.receive = async (max, options) => {
    const deliveries = await receive.call(queue, max, options);
    if (queue.asked.length === 2) await gate.promise;
    return deliveries;
  };
  const [plain] = await take(receiver, 1);
  queue.add("late", "");
  await until(() => queue.leased === 3);
  await finish(ledger, plain!);
  const next = Promise.resolve(receiver.next());
  assertEquals((await settledWithin(next, 5)).state, "pending");
  gate.resolve();
  assertEquals((await next)!.id, "suspect");
  assertEquals([queue.nacked, queue.isolated], [["late"], [["suspect", 1]]]);
  await receiver.closed();
});

test("a suspect's turn is told to who waits for the store alone, and to no one while others run", async () => {
  const queue = new MemoryQueue();
  queue.add("one", "");
  queue.add("other", "");
  queue.add("suspect", "", 2);
  const { ledger, receiver } = intakeOf(queue, { maxInFlight: 3 });
  const messages = await take(receiver, 2);
  let stuck = 0;
  ledger.onStuck = () => stuck++;
  const next = Promise.resolve(receiver.next());
  await until(() => ledger.isShut);
  await turns(2);
  assertEquals(stuck, 0);
  for (const message of messages) message.outputs++;
  ledger.complete(messages[0]!);
  assertEquals(stuck, 0);
  ledger.complete(messages[1]!);
  assertEquals(stuck, 1);
  for (const message of messages) ledger.store([message]);
  assertEquals((await next)!.id, "suspect");
});

test("a suspect that comes when all others wait for the store has them stored at once", async () => {
  const queue = new MemoryQueue();
  queue.add("one", "");
  queue.add("suspect", "", 2);
  const { ledger, receiver } = intakeOf(queue);
  const [one] = await take(receiver, 1);
  one!.outputs++;
  ledger.complete(one!);
  ledger.onStuck = () => void (one!.stored === 0 && ledger.store([one!]));
  assertEquals(ledger.isStuck, false);
  assertEquals((await receiver.next())!.id, "suspect");
});

test("no message is asked for while more than half of the bytes are taken, and then for what is free", async () => {
  const queue = new MemoryQueue(["aaaa", "bbbb", "cc", "dd"]);
  const { receive } = queue;
  // One at a time, however many are asked for.
  queue.receive = async (max, options) => {
    const deliveries = await receive.call(queue, 1, options);
    queue.asked[queue.asked.length - 1] = max;
    return deliveries;
  };
  const { ledger, receiver } = intakeOf(queue, { maxInFlight: 9, maxInFlightBytes: 10 });
  const [first] = await take(receiver, 1);
  const [second] = await take(receiver, 1);
  assertEquals([queue.asked, queue.askedBytes], [[9, 8], [10, 6]]);
  const next = Promise.resolve(receiver.next());
  assertEquals((await settledWithin(next, 5)).state, "pending");
  assertEquals([queue.asked.length, ledger.room, ledger.isStuck], [2, 0, false]);
  for (const message of [first!, second!]) message.outputs++;
  ledger.complete(first!);
  ledger.complete(second!);
  assertEquals(ledger.isStuck, true, "the store is to write what it has");
  ledger.store([first!]);
  assertEquals([(await next)!.body, queue.asked[2], queue.askedBytes[2]], ["cc", 8, 6]);
  await receiver.closed();
});

test("a message larger than all that may be in flight comes by itself", async () => {
  const { queue, ledger, receiver } = intakeOf(new MemoryQueue(["a".repeat(50), "b"]), {
    maxInFlight: 1,
    maxInFlightBytes: 10,
  });
  const [large] = await take(receiver, 1);
  assertEquals([ledger.room, ledger.roomBytes], [0, 1]);
  const next = Promise.resolve(receiver.next());
  assertEquals((await settledWithin(next, 5)).state, "pending");
  await finish(ledger, large!);
  assertEquals([(await next)!.body, queue.askedBytes], ["b", [10, 10]]);
  await receiver.closed();
});

test("a body that was left out is read when its turn comes, and counts before", async () => {
  const queue = new MemoryQueue(numbers(4));
  const loads: string[] = [];
  const gates = { "1": Promise.withResolvers<boolean>(), "2": Promise.withResolvers<boolean>() };
  for (const [id, gate] of Object.entries(gates)) {
    const load = () => {
      loads.push(id);
      return gate.promise;
    };
    queue.extras.set(id, { bytes: 100, load });
  }
  const { ledger, receiver } = intakeOf(queue, { maxInFlightBytes: 1_000 });
  assertEquals([(await take(receiver, 1))[0]!.id, loads, ledger.roomBytes], ["0", [], 798]);
  const next = Promise.resolve(receiver.next());
  assertEquals([(await settledWithin(next, 5)).state, loads], ["pending", ["1"]]);
  gates["1"].resolve(true);
  assertEquals([(await next)!.id, loads], ["1", ["1"]]);
  // Another worker has it meanwhile.
  gates["2"].resolve(false);
  assertEquals([(await receiver.next())!.id, queue.nacked, queue.dead], ["3", ["2"], []]);
  await receiver.closed();
});

test("a body that cannot be read is tried again; a stop meanwhile gives the message back", async () => {
  const queue = new MemoryQueue(numbers(2));
  let tries = 0;
  const load = () => ++tries === 1 ? Promise.reject("away") : Promise.resolve(true);
  queue.extras.set("0", { load });
  const gate = Promise.withResolvers<boolean>();
  queue.extras.set("1", { load: () => gate.promise });
  const { receiver, events } = intakeOf(queue);
  assertEquals([(await take(receiver, 1))[0]!.id, tries], ["0", 2]);
  assertEquals(events.map(({ kind }) => kind), ["outage", "recovery"]);
  const next = Promise.resolve(receiver.next());
  await turns(2);
  receiver.stop();
  gate.resolve(true);
  assertEquals([await next, queue.nacked], [undefined, ["1"]]);
});

test("a message that has come with a flaw is dead with it, also if that is found as its body is read", async () => {
  const queue = new MemoryQueue(numbers(3));
  queue.extras.set("0", { flaw: { reason: undefined } });
  const extra: { flaw?: { reason: unknown }; load: () => Promise<boolean> } = {
    load() {
      deliveryOf.flaw = { reason: "torn" };
      return Promise.resolve(true);
    },
  };
  queue.extras.set("1", extra);
  let deliveryOf: { flaw?: { reason: unknown } } = {};
  const { receive } = queue;
  queue.receive = async (max, options) => {
    const deliveries = await receive.call(queue, max, options);
    deliveryOf = deliveries[1] ?? {};
    return deliveries;
  };
  const { receiver, events } = intakeOf(queue);
  assertEquals((await take(receiver, 1))[0]!.id, "2");
  await until(() => queue.dead.length === 2);
  assertEquals(queue.dead.toSorted(), [["0", undefined], ["1", "torn"]]);
  assertEquals(events.map(({ kind }) => kind), ["dead", "dead"]);
  await receiver.closed();
});

test("a suspect's body is read once it is noted that it is alone", async () => {
  const queue = new MemoryQueue();
  queue.add("suspect", "", 2);
  queue.add("plain", "");
  const seen: unknown[] = [];
  queue.extras.set("suspect", {
    load() {
      seen.push([...queue.isolated], queue.leased);
      return Promise.resolve(true);
    },
  });
  const { receiver } = intakeOf(queue);
  assertEquals((await take(receiver, 1))[0]!.id, "suspect");
  assertEquals([seen, queue.nacked], [[[["suspect", 1]], 1], ["plain"]]);
  await receiver.closed();
});

test("a queue that was made again is reported", async () => {
  const queue = new MemoryQueue(numbers(1));
  queue.open = (_leaseMs?: number, options?: OpenOptions) => {
    options!.onReplaced!();
    return Promise.resolve();
  };
  const { receiver, events } = intakeOf(queue);
  await take(receiver, 1);
  assertEquals(events, [{ kind: "replaced" }]);
  await receiver.closed();
});
