// First: the library keeps `setImmediate` when it is loaded.
import "./virtual_turns.ts";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { map, pipeline } from "@hosepipe/streams";
import { Broker, History } from "./broker.ts";
import { Connection, lostConnection, Random } from "./connection.ts";
import { sleep, VirtualClock } from "./virtual_clock.ts";

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
  /** Whether all workers die at a time. */
  readonly killsAll: boolean;
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
  readonly endedAtMs: number;
}

const longestMs = 3_600_000;

/** Workers that are killed from outside, by messages, or both, on a clock that is not real. */
async function simulateKills(plan: KillPlan): Promise<KillOutcome> {
  const random = new Random(plan.seed);
  const clock = new VirtualClock();
  const history = new History(() => clock.nowMs);
  const broker = new Broker(history, () => clock.nowMs);
  const killers = new Set(plan.killers.map((index) => `m${index}`));
  const alive = new Map<Connection, { die(): void }>();
  const weather = { lossProbability: 0, doublingProbability: 0, latenessProbability: 0 };
  let [started, kills, crashes] = [0, 0, 0];

  const start = async (): Promise<void> => {
    await sleep(random.between(plan.longestStartMs / 2, plan.longestStartMs));
    const number = ++started;
    const connection = new Connection(broker, number, weather, random, history);
    const consumer = new Consumer(connection, {
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

  clock.install(random.next);
  try {
    for (let index = 0; index < plan.messages; index++) {
      broker.send(`m${index}`, "plain", undefined);
    }
    for (let worker = 0; worker < plan.workers; worker++) void start();
    const kill = () => {
      const all = [...alive.values()];
      if (all.length > 0) {
        for (const { die } of plan.killsAll ? all : [random.pick(all)]) {
          kills++;
          die();
        }
      }
      if (clock.nowMs < plan.killUntilMs) setTimeout(kill, plan.killEveryMs);
    };
    if (plan.killEveryMs < Infinity) setTimeout(kill, plan.killEveryMs);
    await clock.settle();
    while (broker.entries.size > 0 && clock.nowMs < longestMs && await clock.step());
    const endedAtMs = clock.nowMs;
    const dead = history.events.filter(({ what }) => what === "dead").map(({ id }) => id);
    for (const { die } of alive.values()) die();
    return { kills, crashes, dead, history, endedAtMs };
  } finally {
    clock.uninstall();
  }
}

const plan: KillPlan = {
  ...{ seed: 1, workers: 4, messages: 1_000, killers: [], killEveryMs: 250, killsAll: false },
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
