import type { Delivery, QueueSource } from "../queue/queue_source.ts";
import { bodiesOf, expect, type QueueLaw, QueueLawSkip, receiptsOf } from "./queue_law_run.ts";

/** The laws of how messages are asked for, and of a queue that is made again. */
export const queueReceiveLaws: Readonly<Record<string, QueueLaw>> = {
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
};
