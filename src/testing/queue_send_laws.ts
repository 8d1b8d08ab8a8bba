import type { QueueSource } from "../queue/queue_source.ts";
import type { SendOptions } from "../queue/send_options.ts";
import {
  bodiesOf,
  expect,
  type QueueLaw,
  QueueLawProblem,
  QueueLawSkip,
  receiptsOf,
} from "./queue_law_run.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The laws of the options of `send`; a queue that refuses one by its name has not to keep it. */
export const queueSendLaws: Readonly<Record<string, QueueLaw>> = {
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
};
