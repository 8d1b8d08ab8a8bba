import type { DeadLetter, Delivery, Receipt, SendOptions } from "@hosepipe/streams/queue";
import { sqliteQueue, type SqliteQueueSource } from "@hosepipe/streams/queue/sqlite";
import { type CheckedQueue, checkQueue } from "@hosepipe/streams/testing";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { queueLaws } from "../../src/testing/queue_laws.ts";

type Queue = SqliteQueueSource<string>;

/** What a queue does in place of what it should. */
type Plant = (queue: Queue, database: DatabaseSync) => Partial<Queue>;

/** A queue in memory, as two workers see it, with a fault if one is given. */
function makeQueue(plant: Plant = () => ({})): CheckedQueue {
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

/** The same, whose methods are bound to it, so that another object may have them. */
const queueOf = (queue: Queue) =>
  new Proxy(queue, {
    get(target, name) {
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const rowsOf = (receipts: readonly Receipt[]) =>
  (receipts as unknown as readonly { row: number }[]).map(({ row }) => row).join(", ");
const nothing = () => Promise.resolve();

/** Sends without some of the options. */
const sendingWithout = (...names: readonly (keyof SendOptions)[]): Plant => (q) => ({
  send: (bodies, options = {}) =>
    q.send(bodies, { ...options, ...Object.fromEntries(names.map((name) => [name, undefined])) }),
});

/** Receives what another queue gives, changed. */
const receiving = (change: (delivery: Delivery<string>) => Delivery<string>): Plant => (q) => ({
  receive: async (max, options) => (await q.receive(max, options)).map(change),
});

const letters = (change: (letter: DeadLetter<string>) => DeadLetter<string>): Plant => (q) => ({
  dead: { ...q.dead, list: async (options) => (await q.dead.list(options)).map(change) },
});

/** Who has had each message last, whichever worker. */
const lastReceipts = new WeakMap<DatabaseSync, Map<string, Receipt>>();

/** Faults of queues; each is found by its law. */
const faultyQueues: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  nack: {
    "loses what is given back": (q) => ({ nack: (r) => q.ack(r) }),
    "counts a delivery of what is given back": (_, database) => ({
      nack: (receipts) =>
        Promise.resolve(database.exec(
          `UPDATE t SET available_at = 0 WHERE row IN (${rowsOf(receipts)})`,
        )),
    }),
    "counts a failure of what is given back": (q) => ({
      nack: (receipts) => q.fail(receipts, undefined, 0),
    }),
  },
  ack: {
    "delivers again after ack()": () => ({ ack: nothing }),
  },
  lease: {
    "acknowledges only who has the lease"(q, database) {
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
    "never ends a lease": (q) => ({ open: (_, options) => q.open(3_600_000, options) }),
    "ends a lease too early": (q) => ({
      open: (leaseMs, options) => q.open(Math.ceil(leaseMs / 3), options),
    }),
  },
  extend: {
    "does not extend": () => ({ extend: nothing }),
  },
  stale: {
    "gives back what another has by now": (_, database) => ({
      nack: (receipts) =>
        Promise.resolve(database.exec(
          `UPDATE t SET available_at = 0, deliveries = deliveries - 1 ` +
            `WHERE row IN (${rowsOf(receipts)})`,
        )),
    }),
  },
  remade: {
    "acknowledges another message by a row that is used again": (_, database) => ({
      ack: (receipts) =>
        Promise.resolve(database.exec(`DELETE FROM t WHERE row IN (${rowsOf(receipts)})`)),
    }),
    "does not say that it was made again": (q) => ({ open: (leaseMs) => q.open(leaseMs) }),
  },
  fail: {
    "does not count failures": (q) => ({ fail: (r) => q.nack(r) }),
    "knows no delay after a failure": (q) => ({
      fail: (receipts, reason) => q.fail(receipts, reason, 0),
    }),
  },
  isolate: {
    "does not count who was alone": () => ({ isolate: nothing }),
    "takes what is at work for an orphan": (q) => ({
      orphans: async () => (await q.depth()).leased,
    }),
    "has no orphans": () => ({ orphans: () => Promise.resolve(0) }),
    "gives out at once what has killed a worker, maybe": (q) => ({
      isolate: (receipt) => q.isolate(receipt, 0),
    }),
  },
  deadLetter: {
    "forgets a dead letter": (q) => ({ deadLetter: ({ receipt }) => q.ack([receipt]) }),
  },
  letters: {
    "forgets why a letter is dead": (q) => ({
      deadLetter: (delivery) => q.deadLetter(delivery, undefined),
    }),
    "lists the last to die first": (q) => ({
      dead: { ...q.dead, list: async (o) => (await q.dead.list(o)).toReversed() },
    }),
    "forgets what was in a dead letter": letters((letter) => ({ ...letter, body: null })),
  },
  replay: {
    "replays all, whatever is asked": (q) => ({
      dead: { ...q.dead, replay: () => q.dead.replay() },
    }),
  },
  refusal: {
    "takes lone surrogates": (q) => ({
      send: (bodies, options) =>
        q.send(
          Array.isArray(bodies)
            ? bodies.map((body) => typeof body === "string" ? body.toWellFormed() : body)
            : bodies,
          options,
        ),
    }),
    "makes text of numbers": (q) => ({
      send: (bodies, options) =>
        q.send(
          Array.isArray(bodies) ? bodies.map((body) => body ?? "").map(String) : bodies,
          options,
        ),
    }),
    "sends what is before the one that it refuses": (q) => ({
      async send(bodies, options) {
        if (options !== undefined) return await q.send(bodies, options);
        for (const body of bodies) await q.send([body]);
      },
    }),
  },
  content: {
    "loses a byte order mark": receiving((one) => withBody(one, one.body?.replace(/^\ufeff/, ""))),
    "ends text at a NUL": receiving((one) => withBody(one, one.body?.replace(/\0.*/s, ""))),
  },
  delivery: {
    "gives the newest first": (q) => ({
      receive: async (max, o) => (await q.receive(max, o)).toReversed(),
    }),
  },
  workers: {
    "gives every message twice": (q) => ({
      async receive(max, options) {
        const deliveries = await q.receive(max, options);
        return max === 17 ? [...deliveries, ...deliveries] : deliveries;
      },
    }),
  },
  wait: {
    "waits for as many as were asked for": (q) => ({
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
  abandon: {
    "loses what arrives as a wait is given up": (q) => ({
      async receive(max, { waitMs, maxBytes, signal }) {
        const never = new AbortController();
        const deliveries = await q.receive(max, { waitMs, maxBytes, signal: never.signal });
        return signal.aborted ? [] : deliveries;
      },
    }),
  },
  size: {
    "does not look at maxBytes": (q) => ({
      receive: (max, { waitMs, signal }) => q.receive(max, { waitMs, signal }),
    }),
  },
  reasons: {
    "cannot say what has no text": (q) => ({
      deadLetter: async (delivery, reason) => await q.deadLetter(delivery, `${reason}`),
    }),
  },
  ids: {
    "keeps no ids": sendingWithout("ids", "rememberMs"),
  },
  remembering: {
    "remembers no ids": sendingWithout("rememberMs"),
  },
  notBefore: {
    "gives out at once what is for later": sendingWithout("notBefore"),
  },
  keys: {
    "keeps no order per key": sendingWithout("keys"),
  },
  keyOrder: {
    "gives a key to two workers": sendingWithout("keys"),
  },
  age: {
    "has no age": () => ({ oldestAgeMs: () => Promise.resolve(0) }),
  },
  options: {
    "takes options that it does not know": (q) => ({
      send: (bodies, { ids, keys, notBefore, rememberMs } = {}) =>
        q.send(bodies, { ids, keys, notBefore, rememberMs }),
    }),
  },
};

function withBody(delivery: Delivery<string>, body: string): Delivery<string> {
  const { id, receipt, deliveries, failures, isolations } = delivery;
  return { id, body, receipt, deliveries, failures, isolations };
}

const laws = Object.keys(queueLaws);
/** All laws but one, each with a reason to leave it out. */
const allBut = (law: string) =>
  Object.fromEntries(laws.filter((one) => one !== law).map((one) => [one, "it is not asked here"]));

test("checkQueue() has planted faults for every law", () => {
  assertEquals(Object.keys(faultyQueues).toSorted(), laws.toSorted());
});

const planted = Object.entries(faultyQueues).flatMap(([law, faults]) =>
  Object.entries(faults).map(([name, plant]) => ({ law, name, plant }))
);
for (const { name, law, plant } of planted) {
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
