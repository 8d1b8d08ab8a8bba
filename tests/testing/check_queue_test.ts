import type { DeadLetter, Delivery, Receipt, SendOptions } from "@hosepipe/streams/queue";
import { sqliteQueue, type SqliteQueueSource } from "@hosepipe/streams/queue/sqlite";
import { type CheckedQueue, checkQueue } from "@hosepipe/streams/testing";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { queueLaws } from "../../src/testing/queue_laws.ts";

type Queue = SqliteQueueSource<string>;

/** A fault of a queue, and the law that finds it. */
interface PlantedQueue {
  readonly name: string;
  readonly law: string;
  /** What the queue does in place of what it should. */
  plant(queue: Queue, database: DatabaseSync): Partial<Queue>;
}

/** A queue in memory, as two workers see it, with a fault if one is given. */
function makeQueue(plant: PlantedQueue["plant"] = () => ({})): CheckedQueue {
  const database = new DatabaseSync(":memory:");
  const make = () => {
    const queue = sqliteQueue<string>(database, { table: "t", pollMs: 5 });
    return Object.assign(Object.create(queueOf(queue)), plant(queue, database)) as Queue;
  };
  return {
    one: make(),
    other: make(),
    remake() {
      database.exec("DROP TABLE t; DROP TABLE t_body; DROP TABLE t_tag");
      return Promise.resolve();
    },
    end: () => Promise.resolve(database.close()),
  };
}

/** Its methods, bound to it, so that another object may have them. */
function queueOf(queue: Queue): Queue {
  return {
    dead: queue.dead,
    open: (leaseMs, options) => queue.open(leaseMs, options),
    receive: (max, options) => queue.receive(max, options),
    ack: (receipts) => queue.ack(receipts),
    nack: (receipts) => queue.nack(receipts),
    fail: (receipts, reason, delayMs) => queue.fail(receipts, reason, delayMs),
    isolate: (receipt, delayMs) => queue.isolate(receipt, delayMs),
    orphans: () => queue.orphans!(),
    extend: (receipts) => queue.extend(receipts),
    deadLetter: (delivery, reason) => queue.deadLetter(delivery, reason),
    send: (bodies, options) => queue.send(bodies, options),
    sendSync: (bodies, options) => queue.sendSync(bodies, options),
    oldestAgeMs: () => queue.oldestAgeMs(),
    depth: () => queue.depth(),
    close: () => queue.close(),
  };
}

const rowsOf = (receipts: readonly Receipt[]) =>
  (receipts as unknown as readonly { row: number }[]).map(({ row }) => row).join(", ");
const nothing = () => Promise.resolve();

/** Sends without some of the options. */
const sendingWithout =
  (...names: readonly (keyof SendOptions)[]): PlantedQueue["plant"] => (q) => ({
    send: (bodies, options = {}) =>
      q.send(bodies, { ...options, ...Object.fromEntries(names.map((name) => [name, undefined])) }),
  });

/** Receives what another queue gives, changed. */
const receiving =
  (change: (delivery: Delivery<string>) => Delivery<string>): PlantedQueue["plant"] => (q) => ({
    receive: async (max, options) => (await q.receive(max, options)).map(change),
  });

const letters =
  (change: (letter: DeadLetter<string>) => DeadLetter<string>): PlantedQueue["plant"] => (q) => ({
    dead: { ...q.dead, list: async (options) => (await q.dead.list(options)).map(change) },
  });

/** Who has had each message last, whichever worker. */
const lastReceipts = new WeakMap<DatabaseSync, Map<string, Receipt>>();

/** Faults of queues; each is found by its law. */
const faultyQueues: readonly PlantedQueue[] = [
  { name: "loses what is given back", law: "nack", plant: (q) => ({ nack: (r) => q.ack(r) }) },
  {
    name: "counts a delivery of what is given back",
    law: "nack",
    plant: (_, database) => ({
      nack: (receipts) =>
        Promise.resolve(database.exec(
          `UPDATE t SET available_at = 0 WHERE row IN (${rowsOf(receipts)})`,
        )),
    }),
  },
  {
    name: "counts a failure of what is given back",
    law: "nack",
    plant: (q) => ({ nack: (receipts) => q.fail(receipts, undefined, 0) }),
  },
  { name: "delivers again after ack()", law: "ack", plant: () => ({ ack: nothing }) },
  {
    name: "acknowledges only who has the lease",
    law: "lease",
    plant(q, database) {
      const last = lastReceipts.get(database) ?? new Map<string, Receipt>();
      lastReceipts.set(database, last);
      return {
        async receive(max, options) {
          const deliveries = await q.receive(max, options);
          for (const { id, receipt } of deliveries) last.set(id, receipt);
          return deliveries;
        },
        ack: (receipts) => q.ack(receipts.filter((one) => last.get(one.id) === one)),
      };
    },
  },
  {
    name: "never ends a lease",
    law: "lease",
    plant: (q) => ({ open: (_, options) => q.open(3_600_000, options) }),
  },
  {
    name: "ends a lease too early",
    law: "lease",
    plant: (q) => ({ open: (leaseMs, options) => q.open(Math.ceil(leaseMs / 3), options) }),
  },
  { name: "does not extend", law: "extend", plant: () => ({ extend: nothing }) },
  {
    name: "gives back what another has by now",
    law: "stale",
    plant: (_, database) => ({
      nack: (receipts) =>
        Promise.resolve(database.exec(
          `UPDATE t SET available_at = 0, deliveries = deliveries - 1 ` +
            `WHERE row IN (${rowsOf(receipts)})`,
        )),
    }),
  },
  {
    name: "acknowledges another message by a row that is used again",
    law: "remade",
    plant: (_, database) => ({
      ack: (receipts) =>
        Promise.resolve(database.exec(`DELETE FROM t WHERE row IN (${rowsOf(receipts)})`)),
    }),
  },
  {
    name: "does not say that it was made again",
    law: "remade",
    plant: (q) => ({ open: (leaseMs) => q.open(leaseMs) }),
  },
  { name: "does not count failures", law: "fail", plant: (q) => ({ fail: (r) => q.nack(r) }) },
  {
    name: "knows no delay after a failure",
    law: "fail",
    plant: (q) => ({ fail: (receipts, reason) => q.fail(receipts, reason, 0) }),
  },
  { name: "does not count who was alone", law: "isolate", plant: () => ({ isolate: nothing }) },
  {
    name: "takes what is at work for an orphan",
    law: "isolate",
    plant: (q) => ({ orphans: async () => (await q.depth()).leased }),
  },
  { name: "has no orphans", law: "isolate", plant: () => ({ orphans: () => Promise.resolve(0) }) },
  {
    name: "gives out at once what has killed a worker, maybe",
    law: "isolate",
    plant: (q) => ({ isolate: (receipt) => q.isolate(receipt, 0) }),
  },
  {
    name: "forgets a dead letter",
    law: "deadLetter",
    plant: (q) => ({ deadLetter: ({ receipt }) => q.ack([receipt]) }),
  },
  {
    name: "forgets why a letter is dead",
    law: "letters",
    plant: (q) => ({ deadLetter: (delivery) => q.deadLetter(delivery, undefined) }),
  },
  {
    name: "lists the last to die first",
    law: "letters",
    plant: (q) => ({
      dead: { ...q.dead, list: async (o) => (await q.dead.list(o)).toReversed() },
    }),
  },
  {
    name: "forgets what was in a dead letter",
    law: "letters",
    plant: letters((letter) => ({ ...letter, body: null })),
  },
  {
    name: "replays all, whatever is asked",
    law: "replay",
    plant: (q) => ({ dead: { ...q.dead, replay: () => q.dead.replay() } }),
  },
  {
    name: "takes lone surrogates",
    law: "refusal",
    plant: (q) => ({
      send: (bodies, options) =>
        q.send(
          Array.isArray(bodies)
            ? bodies.map((body) => typeof body === "string" ? body.toWellFormed() : body)
            : bodies,
          options,
        ),
    }),
  },
  {
    name: "makes text of numbers",
    law: "refusal",
    plant: (q) => ({
      send: (bodies, options) =>
        q.send(
          Array.isArray(bodies) ? bodies.map((body) => body ?? "").map(String) : bodies,
          options,
        ),
    }),
  },
  {
    name: "sends what is before the one that it refuses",
    law: "refusal",
    plant: (q) => ({
      async send(bodies, options) {
        if (options !== undefined) return await q.send(bodies, options);
        for (const body of bodies) await q.send([body]);
      },
    }),
  },
  {
    name: "loses a byte order mark",
    law: "content",
    plant: receiving((one) => withBody(one, one.body?.replace(/^\ufeff/, ""))),
  },
  {
    name: "ends text at a NUL",
    law: "content",
    plant: receiving((one) => withBody(one, one.body?.replace(/\0.*/s, ""))),
  },
  {
    name: "gives the newest first",
    law: "delivery",
    plant: (q) => ({ receive: async (max, o) => (await q.receive(max, o)).toReversed() }),
  },
  {
    name: "gives every message twice",
    law: "workers",
    plant: (q) => ({
      async receive(max, options) {
        const deliveries = await q.receive(max, options);
        return max === 17 ? [...deliveries, ...deliveries] : deliveries;
      },
    }),
  },
  {
    name: "waits for as many as were asked for",
    law: "wait",
    plant: (q) => ({
      async receive(max, { waitMs, ...options }) {
        const until = performance.now() + waitMs;
        const all: Delivery<string>[] = [];
        while (all.length < max && performance.now() < until) {
          all.push(...await q.receive(max - all.length, { ...options, waitMs: 5 }));
        }
        return all;
      },
    }),
  },
  {
    name: "loses what arrives as a wait is given up",
    law: "abandon",
    plant: (q) => ({
      async receive(max, { waitMs, maxBytes, signal }) {
        const never = new AbortController();
        const deliveries = await q.receive(max, { waitMs, maxBytes, signal: never.signal });
        return signal.aborted ? [] : deliveries;
      },
    }),
  },
  {
    name: "does not look at maxBytes",
    law: "size",
    plant: (q) => ({
      receive: (max, { waitMs, signal }) => q.receive(max, { waitMs, signal }),
    }),
  },
  {
    name: "cannot say what has no text",
    law: "reasons",
    plant: (q) => ({
      deadLetter: async (delivery, reason) => await q.deadLetter(delivery, `${reason}`),
    }),
  },
  { name: "keeps no ids", law: "ids", plant: sendingWithout("ids", "rememberMs") },
  { name: "remembers no ids", law: "remembering", plant: sendingWithout("rememberMs") },
  {
    name: "gives out at once what is for later",
    law: "notBefore",
    plant: sendingWithout("notBefore"),
  },
  { name: "keeps no order per key", law: "keys", plant: sendingWithout("keys") },
  { name: "gives a key to two workers", law: "keyOrder", plant: sendingWithout("keys") },
  { name: "has no age", law: "age", plant: () => ({ oldestAgeMs: () => Promise.resolve(0) }) },
  {
    name: "takes options that it does not know",
    law: "options",
    plant: (q) => ({
      send: (bodies, { ids, keys, notBefore, rememberMs } = {}) =>
        q.send(bodies, { ids, keys, notBefore, rememberMs }),
    }),
  },
];

function withBody(delivery: Delivery<string>, body: string): Delivery<string> {
  const { id, receipt, deliveries, failures, isolations } = delivery;
  return { id, body, receipt, deliveries, failures, isolations };
}

const laws = Object.keys(queueLaws);
/** All laws but one, each with a reason to leave it out. */
const allBut = (law: string) =>
  Object.fromEntries(laws.filter((one) => one !== law).map((one) => [one, "it is not asked here"]));

test("checkQueue() has planted faults for every law", () => {
  assertEquals(laws.filter((law) => !faultyQueues.some((one) => one.law === law)), []);
});

for (const { name, law, plant } of faultyQueues) {
  test(`checkQueue() finds that a queue ${name}: ${law}`, async () => {
    const skip = allBut(law);
    const options = { leaseMs: 300, timeoutMs: law === "wait" ? 200 : 1_500, skip };
    const { failed } = await checkQueue(() => makeQueue(plant), options);
    assertEquals(failed.map((broken) => broken.law), [law]);
  });
}

test("checkQueue() finds nothing wrong with a queue in memory", async () => {
  const result = await checkQueue(() => makeQueue(), { leaseMs: 400 });
  assertEquals([result.failed, result.skipped], [[], {}]);
  assertEquals(result.held, laws);
  result.throwIfFailed();
});

test("checkQueue() leaves out what a queue says that it has not", async () => {
  const skip = Object.fromEntries(
    laws.filter((law) =>
      !["keys", "age", "letters", "remade"]
        .includes(law)
    ).map((law) => [law, "not here"]),
  );
  const result = await checkQueue(() => {
    const { one, other, end } = makeQueue((queue) => ({
      async send(bodies, options = {}) {
        if (options.keys !== undefined) throw new TypeError("Cannot send: it keeps no keys");
        await queue.send(bodies, options);
      },
    }));
    for (const queue of [one, other]) {
      Object.assign(queue, { dead: undefined, oldestAgeMs: undefined });
    }
    return { one, other, end };
  }, { skip });
  const { keys, age, letters, remade } = result.skipped;
  assertEquals([keys, age, letters, remade], [
    "Cannot send: it keeps no keys",
    "the queue has no `oldestAgeMs`",
    "the queue has no `dead`",
    "remake is not given",
  ]);
  assertEquals([result.held, result.failed], [[], []]);
});

test("checkQueue() names what was done, and throws it", async () => {
  const skip = allBut("nack");
  const result = await checkQueue(() => makeQueue((q) => ({ nack: (r) => q.ack(r) })), {
    timeoutMs: 100,
    skip,
  });
  assertEquals(result.failed, [{
    law: "nack",
    program: "two are given back, received by the other, given back, and received again",
    problem: "0 of 2 messages came within 100 ms: []",
  }]);
  assertThrows(() => result.throwIfFailed(), Error, "The queue breaks a law\n  nack: 0 of 2");
});

test("checkQueue() ends a law that a queue waits in for ever", async () => {
  const never = () => new Promise<never>(() => {});
  let ended = 0;
  const { failed } = await checkQueue(() => {
    const { one, other } = makeQueue(() => ({ receive: never }));
    return { one, other, end: () => Promise.resolve(void ended++) };
  }, { timeoutMs: 10, skip: allBut("delivery") });
  assertEquals(failed.map(({ law, problem }) => [law, problem]), [
    ["delivery", "It has not ended after 100 ms"],
  ]);
  assertEquals(ended, 1);
});

test("checkQueue() is unsure where the machine is too slow for a lease", async () => {
  const leases: number[] = [];
  const { skipped, failed } = await checkQueue((leaseMs) => {
    leases.push(leaseMs);
    const { one, other, end } = makeQueue((queue) => ({
      async extend(receipts) {
        await new Promise((resolve) => setTimeout(resolve, leaseMs));
        await queue.extend(receipts);
      },
    }));
    return { one, other, end };
  }, { leaseMs: 10, skip: allBut("extend") });
  assertEquals([skipped.extend, failed], ["the machine was too busy", []]);
  assertEquals(leases, [10, 30, 90, 270]);
});

test("checkQueue() refuses unknown options, laws without a reason and what is no queue", async () => {
  // deno-lint-ignore no-explicit-any -- wrong on purpose
  const check = (make: any, options?: any) => () => checkQueue(make, options);
  const make = () => makeQueue();
  const cases: [() => Promise<unknown>, string, (new (message: string) => Error)?][] = [
    [check({}), "Cannot check queue: makeQueue must be a function, got an object"],
    [check(() => 5), "makeQueue's result must be an object with one and other, got 5"],
    [check(() => ({ one: {} })), "one.receive must be a function, got undefined"],
    [check(() => ({ ...make(), other: 1 })), "other.receive must be a function, got undefined"],
    [check(() => ({ ...make(), remake: 1 })), "remake must be a function, got 1"],
    [check(() => ({ ...make(), end: 1 })), "end must be a function, got 1"],
    [check(make, { lease: 1 }), 'unknown option "lease"'],
    [check(make, { leaseMs: 0 }), "leaseMs must be a positive integer, got 0", RangeError],
    [check(make, { timeoutMs: 0.5 }), "timeoutMs must be a positive integer", RangeError],
    [check(make, { skip: { lazy: "no" } }), 'unknown law "lazy"; the laws are delivery, content'],
    [check(make, { skip: { ack: "" } }), "skip.ack must be a reason in words"],
  ];
  for (const [run, message, kind = TypeError] of cases) await assertRejects(run, kind, message);
  const broken = new Error("no server");
  const error = await assertRejects(check(() => Promise.reject(broken)), Error);
  assert(error === broken);
});
