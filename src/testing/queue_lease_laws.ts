import { bodiesOf, expect, type QueueLaw, QueueLawProblem, receiptsOf } from "./queue_law_run.ts";

const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

/** The laws of messages that are leased, and of what becomes of them. */
export const queueLeaseLaws: Readonly<Record<string, QueueLaw>> = {
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
};
