import type { DeadLetters } from "../queue/dead_letter.ts";
import { bodiesOf, expect, type QueueLaw, receiptsOf } from "./queue_law_run.ts";

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

/** The laws of dead letters, of `dead` where a queue has it. */
export const queueDeadLaws: Readonly<Record<string, QueueLaw>> = {
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
