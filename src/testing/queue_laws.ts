import type { DeadLetters, Delivery, QueueSource, SendOptions } from "../queue/queue_source.ts";
import {
  bodiesOf,
  expect,
  type QueueLaw,
  QueueLawProblem,
  QueueLawSkip,
  receiptsOf,
} from "./queue_law_run.ts";

const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const hostileReasons: readonly unknown[] = [
  ...[
    undefined,
    null,
    Symbol("none"),
    Object.create(null),
    new Error("\0 \ud800 \u20ac \u{1f600}"),
  ],
  {
    toString() {
      throw new Error("no text");
    },
  },
  Object.assign(new Error(), { message: Symbol("no text") }),
  Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("no text");
    },
  }),
  new Error("\u0001".repeat(3_000_000)),
];

/** The laws of queues, by name. */
export const queueLaws: Readonly<Record<string, QueueLaw>> = {
  delivery: {
    program: "30 are sent; one worker takes 10, the other the rest; both acknowledge",
    async run(queue, one, other) {
      await one.send(texts(30));
      const [mine, theirs] = [await queue.take(one, 10), await queue.take(other, 20)];
      expect("the order", bodiesOf([...mine, ...theirs]), texts(30));
      expect("different ids", new Set([...mine, ...theirs].map(({ id }) => id)).size, 30);
      for (const { deliveries, failures, isolations } of [...mine, ...theirs]) {
        expect("deliveries, failures, isolations", [deliveries, failures, isolations], [1, 0, 0]);
      }
      await queue.expectNone("all are leased", other);
      await queue.expectDepth(0, 30);
      await one.ack(receiptsOf(mine));
      await other.ack(receiptsOf(theirs));
      await queue.expectDepth(0, 0);
    },
  },
  content: {
    program: "text of all kinds is sent, and received",
    async run(queue) {
      const long = "x".repeat(500_000);
      const sent = [
        "",
        "\ufeffmark",
        "\ufeffmark\0",
        "a\0b",
        "äöü €\n\r 𝄞",
        " space ",
        "null",
        long,
      ];
      await queue.one.send(sent);
      const received = await queue.take(queue.other, sent.length);
      for (const [index, body] of bodiesOf(received).entries()) {
        if (body === sent[index]) continue;
        const shown = (text: string) => JSON.stringify(text?.slice(0, 20) ?? text);
        throw new QueueLawProblem(`${shown(body)} came where ${shown(sent[index]!)} was sent`);
      }
      await queue.other.ack(receiptsOf(received));
    },
  },
  refusal: {
    program: "what is no text, and text that cannot be encoded, is sent after a message that can",
    async run(queue) {
      for (const body of [5, true, null, undefined, 7n, new ArrayBuffer(2), { a: 1 }, ["a"]]) {
        await queue.expectRefusal(`A body of ${String(body)}`, ["a", body as never]);
      }
      for (const body of ["a\ud800", "\udc00b", "\udc00\ud800"]) {
        await queue.expectRefusal("Text with a lone surrogate", ["a", body]);
      }
      await queue.expectRefusal("Text in place of an array", "ab" as never);
      await queue.expectDepth(0, 0);
    },
  },
  ack: {
    program: "one of two is acknowledged twice, then its lease is over",
    hasShortLease: true,
    async run(queue, one, other) {
      await one.send(["a", "b"]);
      const [a, b] = await queue.take(one, 2);
      await one.ack([a!.receipt]);
      await one.ack([a!.receipt]);
      const again = await queue.takeOne(other);
      expect("what comes after the lease", [again.id, again.body], [b!.id, "b"]);
      await other.ack([again.receipt]);
      await new Promise((resolve) => setTimeout(resolve, queue.leaseMs));
      await queue.expectNone("both are acknowledged", other);
      await queue.expectDepth(0, 0);
    },
  },
  nack: {
    program: "two are given back, received by the other, given back, and received again",
    async run(queue, one, other) {
      await one.send(["a", "b"]);
      let [mine, theirs] = [one, other];
      let held = await queue.take(mine, 2);
      const ids = held.map(({ id }) => id).toSorted();
      for (let round = 0; round < 2; round++) {
        await mine.nack(receiptsOf(held));
        [mine, theirs] = [theirs, mine];
        held = await queue.take(mine, 2);
        expect("the ids", held.map(({ id }) => id).toSorted(), ids);
        for (const { deliveries, failures } of held) {
          expect("deliveries and failures", [deliveries, failures], [1, 0]);
        }
      }
      await mine.ack(receiptsOf(held));
      await queue.expectDepth(0, 0);
    },
  },
  fail: {
    program: "one fails with a delay, fails again, is given back, and comes each time",
    async run(queue, one, other) {
      await one.send(["a"]);
      const first = await queue.takeOne(one);
      const failedAt = performance.now();
      await one.fail([first.receipt], new Error("no"), 400);
      const second = await queue.takeOne(other);
      queue.expectSince("A message that had failed", failedAt, 400);
      const counts = "id, deliveries and failures";
      expect(counts, [second.id, second.deliveries, second.failures], [first.id, 2, 1]);
      await other.fail([second.receipt], undefined, 0);
      const third = await queue.takeOne(one);
      expect(counts, [third.id, third.deliveries, third.failures], [first.id, 3, 2]);
      await one.nack([third.receipt]);
      const fourth = await queue.takeOne(one);
      expect(counts, [fourth.id, fourth.deliveries, fourth.failures], [first.id, 3, 2]);
      await one.ack([fourth.receipt]);
      await queue.expectDepth(0, 0);
    },
  },
  lease: {
    program: "a lease ends; the other worker takes the message; the first acknowledges late",
    hasShortLease: true,
    async run(queue, one, other) {
      await one.send(["a"]);
      const takenAt = performance.now();
      const first = await queue.takeOne(one);
      const second = await queue.takeOne(other);
      queue.expectSince("A message that was leased", takenAt, queue.leaseMs);
      expect(
        "id, deliveries and failures",
        [second.id, second.deliveries, second.failures],
        [first.id, 2, 0],
      );
      // The first worker was only slow: its work counts.
      await one.ack([first.receipt]);
      await queue.expectDepth(0, 0);
      await other.ack([second.receipt]);
      await queue.expectDepth(0, 0);
    },
  },
  stale: {
    program:
      "a lease ends; the other worker takes the message; the first gives back, fails, extends",
    hasShortLease: true,
    async run(queue, one, other) {
      for (const act of ["nack", "fail", "extend"] as const) {
        await one.send(["a"]);
        const first = await queue.takeOne(one);
        const second = await queue.takeOne(other);
        const again = performance.now();
        if (act === "fail") await one.fail([first.receipt], new Error("no"), 0);
        else await one[act]([first.receipt]);
        const others = await queue.takeNow(one);
        queue.expectSoon(again);
        expect(`${act}() by whom the lease has left takes it from the next`, bodiesOf(others), []);
        await other.ack([second.receipt]);
      }
      await queue.expectDepth(0, 0);
    },
  },
  extend: {
    program: "a lease is extended five times in two and a half of its lengths",
    hasShortLease: true,
    async run(queue, one, other) {
      await one.send(["a"]);
      let extendedAt = performance.now();
      const first = await queue.takeOne(one);
      for (let round = 0; round < 5; round++) {
        await one.extend([first.receipt]);
        queue.expectSoon(extendedAt);
        extendedAt = performance.now();
        const waitMs = Math.ceil(queue.leaseMs / 2);
        const others = await other.receive(1, { waitMs, signal: queue.signal });
        queue.expectSoon(extendedAt);
        expect("the lease was extended, but these came", bodiesOf(others), []);
      }
      await one.ack([first.receipt]);
      await queue.expectDepth(0, 0);
    },
  },
  isolate: {
    program: "one is worked on alone: given back, left by a worker that dies, given back, failed",
    hasShortLease: true,
    async run(queue, one, other) {
      await one.send(["a"]);
      const what = "isolations, deliveries and failures";
      const startedAt = performance.now();
      let held = await queue.takeOne(one);
      await one.isolate(held.receipt, 0);
      await one.nack([held.receipt]);
      const takenAt = performance.now();
      held = await queue.takeOne(other);
      queue.expectSoon(startedAt);
      expect(what, [held.isolations, held.deliveries, held.failures], [0, 1, 0]);
      const delayMs = Math.ceil(queue.leaseMs / 2);
      await other.isolate(held.receipt, delayMs);
      await queue.expectOrphans(0, takenAt);
      held = await queue.takeOne(one);
      queue.expectSince("What a worker left that had it alone", takenAt, queue.leaseMs + delayMs);
      expect(what, [held.isolations, held.deliveries, held.failures], [1, 2, 0]);
      const again = performance.now();
      await queue.expectOrphans(1, again);
      await one.nack([held.receipt]);
      held = await queue.takeOne(one);
      queue.expectSoon(again);
      expect(what, [held.isolations, held.deliveries, held.failures], [1, 2, 0]);
      await one.isolate(held.receipt, 0);
      await one.fail([held.receipt], undefined, 0);
      queue.expectSoon(again);
      held = await queue.takeOne(other);
      expect(what, [held.isolations, held.deliveries, held.failures], [0, 3, 1]);
      await other.ack([held.receipt]);
      await queue.expectDepth(0, 0);
    },
  },
  deadLetter: {
    program: "one of two becomes a dead letter, twice; the other is acknowledged",
    async run(queue, one, other) {
      await one.send(["a", "b"]);
      const [a, b] = await queue.take(one, 2);
      await one.deadLetter(a!, new Error("never"));
      await one.deadLetter(a!, new Error("never"));
      await one.ack([b!.receipt]);
      await queue.expectNone("one is dead, the other acknowledged", other);
      await queue.expectDepth(0, 0, 1);
    },
  },
  wait: {
    program: "one worker waits for 100; the other sends one a little later",
    async run(queue, one, other) {
      const { signal } = queue;
      const startedAt = performance.now();
      const waiting = one.receive(100, { waitMs: 30_000, signal });
      await new Promise((resolve) => setTimeout(resolve, 30));
      await other.send(["a"]);
      const deliveries = await waiting;
      expect("what the wait ended with", bodiesOf(deliveries), ["a"]);
      expect("it ended before its time", performance.now() - startedAt < 30_000, true);
      await one.ack(receiptsOf(deliveries));
      expect("a wait in vain", await one.receive(5, { waitMs: 1, signal }), []);
    },
  },
  abandon: {
    program: "20 waits are given up while a message is sent",
    async run(queue, one, other) {
      for (let round = 0; round < 20; round++) {
        const controller = new AbortController();
        const waiting = one.receive(5, { waitMs: 30_000, signal: controller.signal });
        if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        const sending = other.send([`${round}`]);
        controller.abort();
        const caught = await waiting;
        await sending;
        await one.nack(receiptsOf(caught));
        const { body, deliveries, receipt } = await queue.takeOne(other);
        expect("body and deliveries of the next", [body, deliveries], [`${round}`, 1]);
        await other.ack([receipt]);
      }
    },
  },
  size: {
    program: "five of 1,000 bytes are asked for within 2,900 bytes, within 10, and within more",
    async run(queue, one, other) {
      await one.send(["1", "2", "3", "4", "5"].map((text) => text.repeat(1_000)));
      const shown = (deliveries: readonly Delivery<string>[]) =>
        deliveries.map(({ body, deliveries }) => `${body[0]}, delivery ${deliveries}`);
      const first = await queue.takeNow(one, 5, 2_900);
      expect("within 2,900 bytes", shown(first), ["1, delivery 1", "2, delivery 1"]);
      const alone = await queue.takeNow(other, 5, 10);
      expect("within 10 bytes", shown(alone), ["3, delivery 1"]);
      const rest = await queue.takeNow(other, 5, 1_000_000);
      expect("the rest", shown(rest), ["4, delivery 1", "5, delivery 1"]);
      await one.ack(receiptsOf(first));
      await other.ack(receiptsOf([...alone, ...rest]));
      await queue.expectDepth(0, 0);
    },
  },
  workers: {
    program: "two workers take 1,000 messages at a time, 17 by 17",
    async run(queue, one, other) {
      const { signal } = queue;
      const count = 1_000;
      await one.send(Array.from({ length: count }, (_, index) => `${index}`));
      const seen: string[] = [];
      let [vain, most] = [0, 0];
      const work = async (worker: QueueSource<string>) => {
        while (seen.length < count && vain < 50) {
          const deliveries = await worker.receive(17, { waitMs: 100, signal });
          vain = deliveries.length === 0 ? vain + 1 : 0;
          most = Math.max(most, deliveries.length);
          seen.push(...bodiesOf(deliveries));
          if (deliveries.length > 0) await worker.ack(receiptsOf(deliveries));
        }
      };
      await Promise.all([work(one), work(other)]);
      expect("received, and different", [seen.length, new Set(seen).size], [count, count]);
      expect("never more than asked for", most <= 17, true);
      await queue.expectDepth(0, 0);
    },
  },
  remade: {
    program:
      "three are leased; the queue is made again; three others are sent; the first are settled",
    async run(queue, one, other) {
      const { remake } = queue;
      if (remake === undefined) throw new QueueLawSkip("remake is not given");
      const replaced: string[] = [];
      await one.open(queue.leaseMs, { onReplaced: () => void replaced.push("one") });
      await other.open(queue.leaseMs, { onReplaced: () => void replaced.push("other") });
      await one.send(["a", "b", "c"]);
      const old = await queue.take(one, 3);
      await remake();
      await other.send(["d", "e", "f"]);
      const theirs = await queue.takeOne(other);
      // None of these is a message that is there now, though the queue may count from the first again.
      await one.ack([old[0]!.receipt]);
      await one.ack(receiptsOf(old));
      await one.extend([old[1]!.receipt]);
      await one.fail([old[1]!.receipt], new Error("no"), 0);
      await one.nack([old[2]!.receipt]);
      await one.deadLetter(old[2]!, new Error("no"));
      const mine = await queue.take(one, 2);
      expect("what is there", bodiesOf([theirs, ...mine]).toSorted(), ["d", "e", "f"]);
      for (const { failures, isolations } of mine) {
        expect("failures and isolations", [failures, isolations], [0, 0]);
      }
      const ids = new Set([...old, ...mine, theirs].map(({ id }) => id));
      expect("different ids", ids.size, 6);
      expect("who learns that it is another", replaced.toSorted(), ["one", "other"]);
      await one.deadLetter(mine[0]!, new Error("no"));
      await one.ack([mine[1]!.receipt]);
      await other.ack([theirs.receipt]);
      const { waiting, leased } = await one.depth();
      expect("waiting and leased", [waiting, leased], [0, 0]);
    },
  },
  ids: {
    program: "messages are sent under an id again: in the queue, leased, acknowledged, failed",
    async run(queue, one, other) {
      await queue.sendWith(one, ["a", "b", "a again"], { ids: ["x", "y", "x"] });
      await queue.sendWith(other, ["b again", "c"], { ids: ["y", "z"] });
      const taken = await queue.take(one, 3);
      const shown = taken.map(({ id, body }) => [id, body]);
      expect("ids and bodies", shown, [["x", "a"], ["y", "b"], ["z", "c"]]);
      await queue.sendWith(other, ["leased"], { ids: ["x"] });
      await queue.expectNone("its id is leased", other);
      await one.ack(receiptsOf(taken));
      await queue.sendWith(one, ["a later"], { ids: ["x"] });
      const later = await queue.takeOne(other);
      expect("id and body after the first is done", [later.id, later.body], ["x", "a later"]);
      await other.fail([later.receipt], new Error("no"), 0);
      await queue.sendWith(one, ["a while it waits"], { ids: ["x"] });
      const again = await queue.takeOne(one);
      expect("body and failures", [again.body, again.failures], ["a later", 1]);
      await one.ack([again.receipt]);
      await queue.expectDepth(0, 0);
    },
  },
  remembering: {
    program:
      "ids are remembered for a minute and for a millisecond, and sent again when they are done",
    async run(queue, one, other) {
      const rememberMs = 60_000;
      await queue.sendWith(one, ["a", "b"], { ids: ["x", "y"], rememberMs });
      await queue.sendWith(one, ["short"], { ids: ["short"], rememberMs: 1 });
      const taken = await queue.take(one, 3);
      await queue.sendWith(other, ["a again", "c"], { ids: ["x", "z"], rememberMs });
      await one.ack(receiptsOf(taken));
      await queue.sendWith(other, ["b again"], { ids: ["y"], rememberMs: 1 });
      await pause(20);
      await queue.sendWith(other, ["short again"], { ids: ["short"], rememberMs });
      const rest = await queue.take(other, 2);
      expect("what is added", bodiesOf(rest), ["c", "short again"]);
      await queue.expectNone("their ids are remembered", one);
      await other.ack(receiptsOf(rest));
      await queue.expectDepth(0, 0);
    },
  },
  notBefore: {
    program: "messages are sent for later, for much later, for the past and for now",
    async run(queue, one, other) {
      const dueAt = Date.now() + 900;
      await queue.sendWith(one, ["later"], { notBefore: new Date(dueAt) });
      const far = new Date(Date.now() + 10 * 86_400_000);
      await queue.sendWith(one, ["much later"], { notBefore: far });
      await queue.sendWith(one, ["past"], { notBefore: new Date(0) });
      await one.send(["now"]);
      const first = await queue.take(other, 2);
      expect("what comes at once", bodiesOf(first), ["past", "now"]);
      const later = await queue.takeOne(other);
      expect("what comes later", later.body, "later");
      // Clocks of two machines differ a little.
      expect("it came before its time", Date.now() < dueAt - 10, false);
      await other.ack(receiptsOf([...first, later]));
      await queue.expectNone("it is for much later", one);
      await queue.expectDepth(1, 0);
    },
  },
  keys: {
    program: "messages of two keys, and of none, are acknowledged, fail, are given back and die",
    async run(queue, one, other) {
      const keys = ["k", "k", undefined, "m", "k"];
      await queue.sendWith(one, ["k1", "k2", "free", "m1", "k3"], { keys });
      const first = await queue.take(one, 3);
      expect("one of each key", bodiesOf(first).toSorted(), ["free", "k1", "m1"]);
      await queue.sendWith(other, ["k4", "m2"], { keys: ["k", "m"] });
      await queue.expectNone("one of each key is leased", other);
      const of = (body: string) => first.find((one) => one.body === body)!;
      await one.ack(receiptsOf([of("free"), of("m1")]));
      expect("the next of m", (await queue.takeOne(other)).body, "m2");
      await one.fail([of("k1").receipt], new Error("no"), 400);
      const again = await queue.takeOne(other);
      expect("it failed: body, failures", [again.body, again.failures], ["k1", 1]);
      await other.nack([again.receipt]);
      const third = await queue.takeOne(one);
      expect("it was given back", third.body, "k1");
      await one.ack([third.receipt]);
      await one.ack([third.receipt]);
      const fourth = await queue.takeOne(other);
      expect("it was acknowledged", fourth.body, "k2");
      // Who is dead holds back no other.
      await other.deadLetter(fourth, new Error("never"));
      for (const body of ["k3", "k4"]) {
        const next = await queue.takeOne(one);
        expect("the next of k", next.body, body);
        await queue.expectNone("one of k is leased", other);
        await one.ack([next.receipt]);
      }
      expect("waiting", (await one.depth()).waiting, 0);
    },
  },
  keyOrder: {
    program: "two workers take 200 messages of 4 keys at a time, 5 by 5",
    async run(queue, one, other) {
      const { signal } = queue;
      const count = 200;
      const bodies = Array.from({ length: count }, (_, index) => `${index % 4} ${index}`);
      await queue.sendWith(one, bodies, { keys: bodies.map((body) => body[0]) });
      const last = new Map<string, number>();
      const inWork = new Set<string>();
      let [done, vain] = [0, 0];
      const work = async (worker: QueueSource<string>) => {
        while (done < count && vain < 100) {
          const deliveries = await worker.receive(5, { waitMs: 50, signal });
          vain = deliveries.length === 0 ? vain + 1 : 0;
          for (const { body } of deliveries) {
            const [key, index] = body.split(" ") as [string, string];
            expect(`two of key ${key} are in work`, inWork.has(key), false);
            inWork.add(key);
            expect(`${index} of key ${key} comes in order`, (last.get(key) ?? -1) < +index, true);
            last.set(key, +index);
          }
          await pause(0);
          for (const { body } of deliveries) inWork.delete(body[0]!);
          await worker.ack(receiptsOf(deliveries));
          done += deliveries.length;
        }
      };
      await Promise.all([work(one), work(other)]);
      expect("all came", done, count);
    },
  },
  age: {
    program:
      "the oldest message's age is asked for: of none, of one for later, of one that is leased",
    async run(queue) {
      const ageOf = (queue.one as { oldestAgeMs?(): Promise<number> }).oldestAgeMs;
      if (ageOf === undefined) throw new QueueLawSkip("the queue has no `oldestAgeMs`");
      const age = () => ageOf.call(queue.one);
      expect("of none", await age(), 0);
      const far = new Date(Date.now() + 86_400_000);
      await queue.sendWith(queue.one, ["future"], { notBefore: far });
      expect("of one for later", await age(), 0);
      await queue.one.send(["a"]);
      await pause(50);
      await queue.one.send(["b"]);
      const a = await queue.takeOne(queue.one);
      const aged = await age();
      if (!(aged >= 40 && aged < 80_000_000)) {
        throw new QueueLawProblem(`one that is leased, sent 50 ms ago, has an age of ${aged} ms`);
      }
      await queue.one.ack([a.receipt]);
      const younger = await age();
      expect("of one that was sent later is no number", younger >= 0, true);
    },
  },
  options: {
    program: "messages are sent with options that are wrong",
    async run(queue) {
      const wrong: readonly unknown[] = [
        ...[{ ids: ["x"] }, { ids: ["x", ""] }, { keys: ["x"] }, { keys: [undefined, 5] }],
        ...[{ rememberMs: 5 }, { ids: ["x", "y"], rememberMs: 0 }, { notBefore: 5 }],
        ...[{ notBefore: new Date(NaN) }, { key: "x" }],
      ];
      for (const options of wrong) {
        const sending = queue.one.send(["a", "b"], options as SendOptions);
        const refused = await sending.then(() => undefined, (reason) => ({ reason }));
        const { reason } = refused ?? {};
        if (reason instanceof TypeError || reason instanceof RangeError) continue;
        throw new QueueLawProblem(`${JSON.stringify(options)} is not refused`);
      }
      await queue.expectDepth(0, 0);
    },
  },
  reasons: {
    program:
      "messages become dead letters for reasons that have no text, or too much, or odd characters",
    async run(queue, one, other) {
      await one.send(hostileReasons.map((_, index) => `${index}`));
      for (const reason of hostileReasons) await one.deadLetter(await queue.takeOne(one), reason);
      await queue.expectDepth(0, 0, hostileReasons.length);
      const { dead } = other as { dead?: DeadLetters<string> };
      for (const { body, reason } of await dead?.list() ?? []) {
        expect(`the reason of ${body} is text`, typeof reason === "string" && reason !== "", true);
      }
    },
  },
  letters: {
    program: "twelve become dead letters; they are listed, page by page",
    async run(queue, one, other) {
      const dead = queue.dead(other);
      expect("of none", await dead.list(), []);
      // So many that their ids are not in order as text.
      const bodies = ["a", "b\0", "", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
      await one.send(bodies);
      const taken = await queue.take(one, 12);
      for (const delivery of taken) {
        await one.deadLetter(delivery, new Error(`no ${delivery.body}`));
      }
      const letters = await dead.list();
      expect("ids, the first to die first", letters.map(({ id }) => id), taken.map(({ id }) => id));
      expect("bodies", letters.map(({ body }) => body), bodies);
      expect("the reason", letters[0]!.reason, "Error: no a");
      expect("the reason of the next", letters[1]!.reason.startsWith("Error: no b"), true);
      const [{ deliveries, failures, diedAt }] = letters as [typeof letters[0] & object];
      expect("deliveries and failures", [deliveries, failures], [1, 0]);
      expect("diedAt is about now", Math.abs(diedAt.getTime() - Date.now()) < 3_600_000, true);
      const page = await dead.list({ limit: 2, after: letters[0]!.id });
      expect(
        "two after the first",
        page.map(({ id }) => id),
        taken.slice(1, 3).map(({ id }) => id),
      );
      expect("after the last", await dead.list({ after: letters[11]!.id }), []);
      await queue.expectDepth(0, 0, 12);
    },
  },
  replay: {
    program: "of four dead letters two are replayed, then one purged, then all",
    async run(queue, one, other) {
      const dead = queue.dead(one);
      await one.send(["a", "b\0", "", "d"]);
      const taken = await queue.take(one, 4);
      const ids = taken.map(({ id }) => id);
      for (const delivery of taken) await one.deadLetter(delivery, new Error("no"));
      expect("replay of two", await dead.replay([ids[0]!, ids[1]!, "none"]), 2);
      expect("replay of what is not there", await dead.replay([ids[0]!]), 0);
      const again = await queue.take(other, 2);
      expect("bodies", bodiesOf(again), ["a", "b\0"]);
      for (const [index, { id, deliveries, failures }] of again.entries()) {
        expect("id, deliveries, failures", [id, deliveries, failures], [ids[index], 1, 0]);
      }
      await other.ack(receiptsOf(again));
      expect("purge of one, named twice", await dead.purge([ids[2]!, ids[2]!]), 1);
      expect("what is left", (await dead.list()).map(({ body }) => body), ["d"]);
      expect("replay of all", await dead.replay(), 1);
      await queue.expectDepth(1, 0);
      await one.deadLetter(await queue.takeOne(one), undefined);
      expect("purge of all", [await dead.purge(), await dead.purge()], [1, 0]);
      await queue.expectDepth(0, 0);
    },
  },
};
