// First: the library keeps `setImmediate` when it is loaded.
import { sleep, VirtualClock } from "./virtual_clock.ts";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Consumer, messages, perMessage, type QueueSource, stored } from "@hosepipe/streams/queue";
import { Ledger } from "../../../src/queue/ledger.ts";
import { draws, firstSeedOf } from "../../lib/thorough.ts";
import { type Planted, simulate, type Simulated } from "./simulate.ts";
import { map, pipeline } from "@hosepipe/streams";
import { Broker, calm, History, lostConnection, Random, type Wire } from "./broker.ts";
import type { SqsBroker } from "./sqs_broker.ts";

const seeds = draws(150);

/** The first seed that has a problem, of those that are tried: of the first 200 where one is planted. */
async function findProblem(
  planted?: Planted,
  engine?: Parameters<typeof simulate>[2],
): Promise<Simulated | undefined> {
  const [first, count] = planted === undefined ? [firstSeedOf(seeds), seeds] : [1, 200];
  for (let seed = first; seed < first + count; seed++) {
    const simulated = await simulate(seed, planted, engine);
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

for (const engine of ["any", "SQS", "SQS FIFO"] as const) {
  const name = `${seeds} seeds keep what the queue promises: ${engine}`;
  test(name, { timeout: draws(300_000) }, async () => {
    const found = await findProblem(undefined, engine);
    assertEquals(found?.problems, undefined, `seed ${found?.seed}\n${found?.history}`);
  });
}

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
  ["leases that are not extended", /is dead: \d+ workers have died|is neither acknowledged/, {
    queue: (queue) => changed(queue, { extend: () => Promise.resolve() }),
  }],
  ["a nack that takes messages off", /is acknowledged(?: with 0 of|, and can never)/, {
    queue: (queue) => changed(queue, { nack: (receipts) => queue.ack(receipts) }),
  }],
  ["deliveries that count as suspicions", /is dead: \d+ workers have died/, {
    queue: (queue) =>
      changed(queue, {
        receive: async (max, options) =>
          (await queue.receive(max, options)).map((delivery) => {
            return { ...delivery, isolations: 5 * delivery.deliveries };
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

const plantsOfSqs: readonly [string, RegExp, "SQS" | "SQS FIFO", Partial<SqsBroker>][] = [
  ["a FIFO queue without order", /after a later message of key/, "SQS FIFO", { keepsOrder: false }],
  ["calls that give several of a group", /after a later message/, "SQS FIFO", { leastInCall: 10 }],
  ["letters that fail in silence", /and can never be stored/, "SQS", { namesFailures: false }],
];

for (const [name, problem, engine, plant] of plantsOfSqs) {
  test(`it finds ${name}`, { timeout: 120_000 }, async () => {
    const found = await findProblem({ broker: (one) => void Object.assign(one, plant) }, engine);
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
    const found = await findProblem({});
    assertMatch(`${found?.problems}`, /is acknowledged with 1 of 2 rows stored/);
  } finally {
    Ledger.prototype.store = store;
  }
});

/** What workers, their messages and who kills them are like. */
interface KillPlan {
  readonly seed: number;
  readonly workers: number;
  readonly messages: number;
  /** Which messages kill whoever begins them. */
  readonly killers: readonly number[];
  /** How often a worker is killed that has done nothing; `Infinity` is never. */
  readonly killEveryMs: number;
  /** When nobody kills any more. */
  readonly killUntilMs: number;
  /** How long a worker takes to start, at most. */
  readonly longestStartMs: number;
  readonly leaseMs: number;
  readonly saveMs: number;
}

/** What has come of it. */
interface KillOutcome {
  readonly kills: number;
  /** Workers that a message has killed. */
  readonly crashes: number;
  /** Ids of the dead. */
  readonly dead: readonly string[];
  readonly history: History;
}

const longestMs = 3_600_000;

/** Workers that are killed from outside, by messages, or both, on a clock that is not real. */
async function simulateKills(plan: KillPlan): Promise<KillOutcome> {
  const random = new Random(plan.seed);
  const clock = new VirtualClock();
  const history = new History(() => clock.nowMs);
  const broker = new Broker(history, () => clock.nowMs, random);
  const killers = new Set(plan.killers.map((index) => `m${index}`));
  const alive = new Map<Wire, { die(): void }>();
  let [started, kills, crashes] = [0, 0, 0];

  const start = async (): Promise<void> => {
    await sleep(random.between(plan.longestStartMs / 2, plan.longestStartMs));
    const number = ++started;
    const { connection, queue } = broker.connect(number, calm);
    const consumer = new Consumer(queue, {
      ...{ maxInFlight: 40, leaseMs: plan.leaseMs, drainMs: 1, retryDelayMs: 50 },
    });
    const die = () => {
      if (!alive.delete(connection)) return;
      connection.isCut = true;
      history.note(number, "killed");
      consumer.stop();
      void start();
    };
    alive.set(connection, { die });
    const work = map((body: string) => {
      if (connection.isCut || !killers.has(body.split(" ")[1]!)) return body;
      crashes++;
      die();
      throw lostConnection();
    });
    await pipeline(
      messages(consumer),
      perMessage(work),
      stored(consumer, async () => {
        await sleep(plan.saveMs);
        if (connection.isCut) throw lostConnection();
      }, { concurrency: 2, batchSize: 10, maxWaitMs: 10 }),
    ).catch(() => {});
  };

  return await clock.during(random.next, async () => {
    for (let index = 0; index < plan.messages; index++) {
      broker.send(`m${index}`, "plain", undefined);
    }
    for (let worker = 0; worker < plan.workers; worker++) void start();
    const kill = () => {
      const all = [...alive.values()];
      if (all.length > 0) {
        kills++;
        random.pick(all).die();
      }
      if (clock.nowMs < plan.killUntilMs) setTimeout(kill, plan.killEveryMs);
    };
    if (plan.killEveryMs < Infinity) setTimeout(kill, plan.killEveryMs);
    await clock.settle();
    while (broker.entries.size > 0 && clock.nowMs < longestMs && await clock.step());
    const dead = history.events.filter(({ what }) => what === "dead").map(({ id }) => id);
    for (const { die } of alive.values()) die();
    return { kills, crashes, dead, history };
  });
}

const plan: KillPlan = {
  ...{ seed: 1, workers: 4, messages: 1_000, killers: [], killEveryMs: 250 },
  killUntilMs: 600_000,
  ...{ longestStartMs: 800, leaseMs: 700, saveMs: 100 },
};

/** How often each message was worked on alone. */
function timesAlone({ history }: KillOutcome): Map<string, number> {
  const times = new Map<string, number>();
  for (const { what, id } of history.events) {
    if (what === "isolated") times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}

test(
  "1,000 workers killed from outside bury no healthy message",
  { timeout: 300_000 },
  async () => {
    let kills = 0;
    let mostAlone = 0;
    for (let seed = 1; kills < 1_000; seed++) {
      const outcome = await simulateKills({ ...plan, seed });
      assertEquals(outcome.dead, [], `seed ${seed}`);
      kills += outcome.kills;
      mostAlone = Math.max(mostAlone, ...timesAlone(outcome).values());
    }
    // Otherwise nothing was to be told apart.
    assert(mostAlone >= 5, `no message was worked on alone more than ${mostAlone} times`);
  },
);

test("a message that kills its workers is dead after five of them", async () => {
  const outcome = await simulateKills({ ...plan, killers: [40], killEveryMs: Infinity });
  assertEquals([outcome.dead, outcome.kills], [["m40"], 0]);
  // Two with others, and five alone.
  assertEquals([outcome.crashes, timesAlone(outcome).get("m40")], [7, 5]);
});

test("several that kill are all found, and nothing else", async () => {
  const killers = [3, 500, 501, 900];
  const outcome = await simulateKills({ ...plan, killers, killEveryMs: Infinity });
  assertEquals(outcome.dead.toSorted(), killers.map((index) => `m${index}`).toSorted());
  const times = timesAlone(outcome);
  for (const id of outcome.dead) assert(times.get(id)! <= 20, `${id}: ${times.get(id)}`);
});

test("one that kills is found among workers that are killed from outside", async () => {
  const outcome = await simulateKills({ ...plan, killers: [200], killUntilMs: 20_000 });
  assertEquals(outcome.dead, ["m200"]);
  assert(outcome.kills > 10, `${outcome.kills} kills`);
});
