import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { checkQueue } from "@hosepipe/streams/testing";
import { queueLaws } from "../../src/testing/queue_laws.ts";
import { faultyQueues, makeQueue } from "./_planted_queues.ts";

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
