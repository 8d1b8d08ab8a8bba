// First: the library keeps `setImmediate` when it is loaded.
import "./virtual_turns.ts";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { QueueSource } from "@hosepipe/streams/queue";
import { LeaseKeeper, Ledger } from "../../../src/queue/ledger.ts";
import { draws, firstSeedOf } from "../../lib/thorough.ts";
import { type Planted, simulate, type Simulated } from "./simulate.ts";

const seeds = draws(150);

/** The first seed that has a problem, of the first so many. */
async function findProblem(planted?: Planted, count = seeds): Promise<Simulated | undefined> {
  const first = planted === undefined ? firstSeedOf(count) : 1;
  for (let seed = first; seed < first + count; seed++) {
    const simulated = await simulate(seed, planted);
    if (simulated.problems.length > 0) return simulated;
  }
  return undefined;
}

/** The queue with some methods in place of its own. */
function changed(
  queue: QueueSource<string>,
  methods: Partial<QueueSource<string>>,
): QueueSource<string> {
  return new Proxy(queue, {
    get(target, name) {
      const value = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test(`${seeds} seeds keep what the queue promises`, { timeout: draws(300_000) }, async () => {
  const found = await findProblem();
  assertEquals(found?.problems, undefined, `seed ${found?.seed}\n${found?.history}`);
});

test("seeds that have broken a promise once keep it", async () => {
  // A worker began what it had given back while it waited for its turn.
  for (const seed of [5216, 183_623]) {
    const { problems, history } = await simulate(seed);
    assertEquals(problems, [], `${history}`);
  }
});

test("a seed is the same history each time, and another seed another", async () => {
  const [first, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
  assertEquals(`${first.history}`, `${again.history}`);
  assert(`${first.history}` !== `${other.history}`);
  assert(first.history.events.length > 10);
});

test("the seeds kill workers, and have every kind of message", async () => {
  const seen = new Map<string, number>();
  let kills = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const simulated = await simulate(seed);
    kills += simulated.kills;
    for (const { what, detail } of simulated.history.events) {
      const name = what === "sent" ? detail.replace(/, key.*/, "") : what;
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
  }
  assert(kills > 50, `${kills} kills`);
  const expected = ["plain", "double", "none", "poison", "moody", "refused", "isolated", "fault"];
  for (const name of expected) assert((seen.get(name) ?? 0) > 10, `${name}: ${seen.get(name)}`);
});

const plants: readonly [name: string, problem: RegExp, planted: Planted][] = [
  ["a connection that acknowledges what it receives", /is acknowledged with 0 of/, {
    queue: (queue) =>
      changed(queue, {
        async receive(max, options) {
          const deliveries = await queue.receive(max, options);
          await queue.ack(deliveries.map(({ receipt }) => receipt));
          return deliveries;
        },
      }),
  }],
  ["a save that does not say that it failed", /is acknowledged with \d of/, {
    save: (save) => (outputs) => save(outputs).catch(() => {}),
  }],
  ["a save that does not wait for the store", /is acknowledged with 0 of/, {
    save: (save) => (outputs) => {
      save(outputs).catch(() => {});
      return Promise.resolve();
    },
  }],
  ["keys that are others at each delivery", /is stored twice/, {
    save: (save) => (outputs) =>
      save(outputs.map(({ key, value, index, message }) => {
        return { key: `${key} ${message.deliveries}`, value, index, message };
      })),
  }],
  ["a broker without order", /comes after a later message of key/, {
    broker: (broker) => void (broker.keepsOrder = false),
  }],
  ["a nack that takes messages off", /is acknowledged with 0 of/, {
    queue: (queue) => changed(queue, { nack: (receipts) => queue.ack(receipts) }),
  }],
  ["a delivery that counts as a suspicion", /is dead: \d+ workers have died/, {
    queue: (queue) =>
      changed(queue, {
        receive: async (max, options) =>
          (await queue.receive(max, options)).map((delivery) => {
            return { ...delivery, isolations: delivery.deliveries };
          }),
      }),
  }],
  ["a connection that never answers again after an outage", /is neither acknowledged nor dead/, {
    queue: (queue) =>
      changed(queue, {
        receive: (max, options) => queue.receive(max, options).catch(() => new Promise(() => {})),
      }),
  }],
  ["a save that is done again long after", /saving m\d+ after (its end|it was settled)/, {
    save: (save) => async (outputs) => {
      await save(outputs);
      setTimeout(() => save(outputs).catch(() => {}), 500);
    },
  }],
];

for (const [name, problem, planted] of plants) {
  test(`it finds ${name}`, { timeout: 120_000 }, async () => {
    const found = await findProblem(planted);
    assertMatch(`${found?.problems}`, problem);
  });
}

test("it finds a ledger that acknowledges at the first of two outputs", async () => {
  const { store } = Ledger.prototype;
  Ledger.prototype.store = function (messages) {
    const all = [...messages];
    for (const message of all) message.stored = message.outputs - 1;
    store.call(this, all);
  };
  try {
    const found = await findProblem();
    assertMatch(`${found?.problems}`, /is acknowledged with 1 of 2 rows stored/);
  } finally {
    Ledger.prototype.store = store;
  }
});

test("it finds leases that are not extended", async () => {
  const { start } = LeaseKeeper.prototype;
  LeaseKeeper.prototype.start = () => {};
  try {
    const found = await findProblem();
    assertMatch(`${found?.problems}`, /is dead: \d+ workers have died|is neither acknowledged/);
  } finally {
    LeaseKeeper.prototype.start = start;
  }
});
