import { map, pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { Broker } from "./broker.ts";
import { Connection, lostConnection } from "./connection.ts";
import { History } from "./history.ts";
import { Random } from "./random.ts";
import { sleep, VirtualClock } from "./virtual_clock.ts";

/** What workers, their messages and who kills them are like. */
export interface KillPlan {
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
export interface KillOutcome {
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
export async function simulateKills(plan: KillPlan): Promise<KillOutcome> {
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
