import "./virtual_turns.ts";
import type { Output, QueueSource } from "@hosepipe/streams/queue";
import { Broker } from "./broker.ts";
import { check } from "./check.ts";
import { Connection, lostConnection } from "./connection.ts";
import { History, type Kind } from "./history.ts";
import { Random } from "./random.ts";
import { Store } from "./store.ts";
import { VirtualClock } from "./virtual_clock.ts";
import { startWorker, type Worker, type WorkerSettings } from "./worker.ts";

type Save = (outputs: readonly Output<string>[]) => Promise<void>;

/** Parts with an error in them, to see that a simulation finds it. */
export interface Planted {
  readonly queue?: (queue: QueueSource<string>) => QueueSource<string>;
  readonly save?: (save: Save) => Save;
  readonly broker?: (broker: Broker) => void;
}

/** What a seed has come to. */
export interface Simulated {
  readonly seed: number;
  /** What was promised and not kept; none if all is well. */
  readonly problems: readonly string[];
  readonly history: History;
  readonly messages: number;
  readonly kills: number;
}

/** By then everything must be done, faults and all. */
const longestMs = 600_000;
const noFaults = { lossProbability: 0, doublingProbability: 0, latenessProbability: 0 };
const kinds: readonly Kind[] = ["plain", "plain", "plain", "moody", "poison", "refused"];
const kindsOfMany: readonly Kind[] = [...kinds, "double", "double", "none"];

function settingsOf(random: Random): WorkerSettings {
  return {
    maxInFlight: random.pick([1, 2, 4, 16]),
    leaseMs: random.pick([200, 1_000, 5_000]),
    drainMs: random.pick([500, 5_000]),
    retryDelayMs: random.pick([0, 50, 500]),
    maxSuspicions: 5,
    concurrency: random.pick([1, 2, 8]),
    saves: random.pick([1, 2]),
    batchSize: random.pick([1, 3, 10]),
    maxWaitMs: random.pick([0, 20, 500]),
    longestWorkMs: random.pick([0, 0, 10, 1_500]),
  };
}

/** One run by one seed: the library's workers between a broker and a store that fail as chance says. */
export async function simulate(seed: number, planted: Planted = {}): Promise<Simulated> {
  const random = new Random(seed);
  const clock = new VirtualClock();
  const history = new History(() => clock.nowMs);
  const settings = settingsOf(random);
  const weather = {
    lossProbability: random.pick([0, 0.05, 0.2]),
    doublingProbability: random.pick([0, 0.1, 0.3]),
    latenessProbability: random.pick([0, 0.05, 0.2]),
  };
  const temper = {
    failureProbability: random.pick([0, 0.1, 0.3]),
    longestMs: random.pick([2, 50, 2 * settings.leaseMs]),
    partialFailures: 2,
  };
  const broker = new Broker(history, () => clock.nowMs);
  broker.refusesOldLeases = seed % 2 === 0;
  planted.broker?.(broker);
  const store = new Store(history, random, temper);
  const failures = new Map<string, number>();
  const workers = new Map<Worker, Connection>();
  const all: Promise<void>[] = [];
  let started = 0;
  let kills = 0;

  /** A worker whose calls are late loses its leases, which looks as if it had died. */
  const isOftenLate = weather.latenessProbability > 0;
  const canSuspect = () => isOftenLate || kills >= settings.maxSuspicions;
  const start = () => {
    const number = ++started;
    const connection = new Connection(broker, number, weather, random, history);
    const save: Save = (outputs) =>
      connection.isCut ? Promise.reject(lostConnection()) : store.save(number, outputs);
    const worker = startWorker(
      number,
      planted.queue?.(connection) ?? connection,
      planted.save?.(save) ?? save,
      settings,
      { history, random, failures, isAlive: () => !connection.isCut },
    );
    workers.set(worker, connection);
    all.push(worker.ended);
  };
  const end = (worker: Worker, isKilled: boolean) => {
    if (isKilled) {
      kills++;
      history.note(worker.number, "killed");
      workers.get(worker)!.isCut = true;
    }
    workers.delete(worker);
    worker.consumer.stop();
    start();
  };
  const disturb = () => {
    const worker = random.pick([...workers.keys()]);
    const fault = random.pick(["kill", "kill", "stop", "clock", "restart"]);
    if (fault === "kill" || fault === "stop") return end(worker, fault === "kill");
    if (fault === "clock") {
      const ms = random.between(-3, 3) * settings.leaseMs;
      history.note(0, "fault", "", `the broker's clock steps by ${ms} ms`);
      return broker.stepClock(ms);
    }
    if (broker.isDown) return;
    const forgetsLeases = random.happens(0.5);
    history.note(0, "fault", "", "the broker is down");
    broker.isDown = true;
    setTimeout(() => {
      history.note(0, "fault", "", `the broker is up${forgetsLeases ? ", without leases" : ""}`);
      broker.restart(forgetsLeases);
    }, random.between(10, 2 * settings.leaseMs));
  };

  clock.install(random.next);
  const { stackTraceLimit } = Error;
  // Thousands of failures are meant here: where they were made says nothing.
  Error.stackTraceLimit = 0;
  try {
    const count = random.between(1, 12);
    const possible = settings.longestWorkMs === 0 ? kinds : kindsOfMany;
    const horizonMs = random.pick([100, 1_000, 10_000]);
    for (let index = 0; index < count; index++) {
      const key = random.happens(0.4) ? random.pick(["a", "b"]) : undefined;
      const kind = random.pick(possible);
      setTimeout(() => broker.send(`m${index}`, kind, key), 1 + index * horizonMs / 50);
    }
    for (let worker = random.between(2, 5); worker > 0; worker--) start();
    for (let faults = random.between(0, 6); faults > 0; faults--) {
      setTimeout(disturb, random.between(1, horizonMs));
    }
    setTimeout(() => {
      Object.assign(weather, noFaults);
      Object.assign(temper, { failureProbability: 0, longestMs: Math.min(temper.longestMs, 50) });
    }, horizonMs);
    const isSent = () => clock.nowMs > horizonMs;
    await clock.settle();
    while (
      clock.nowMs < longestMs && (!isSent() || broker.entries.size > 0) && await clock.step()
    );
    const problems: string[] = [];
    for (const { consumer } of workers.keys()) consumer.stop();
    let open = all.length;
    for (const ended of all) void ended.then(() => open--);
    await clock.settle();
    // What is left is late: connections, doubled calls and pauses that end.
    const lastMs = clock.nowMs + longestMs;
    while (clock.nowMs < lastMs && await clock.step());
    for (let turns = 0; turns < 5; turns++) await clock.settle();
    if (open > 0) problems.push(`${open} workers do not end`);
    if (clock.timers > 0) problems.push(`${clock.timers} timers are left`);
    problems.unshift(...check(history.events, canSuspect() ? settings.maxSuspicions : Infinity));
    return { seed, problems, history, messages: count, kills };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    clock.uninstall();
  }
}
