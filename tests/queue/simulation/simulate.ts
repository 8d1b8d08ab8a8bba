import { sleep, VirtualClock } from "./virtual_clock.ts";
import {
  Consumer,
  messages,
  type Output,
  perMessage,
  type QueueSource,
  stored,
} from "@hosepipe/streams/queue";
import { map, pipeline, type Transformer } from "@hosepipe/streams";
import {
  Broker,
  calm,
  History,
  type HistoryEvent,
  type Kind,
  lostConnection,
  Random,
  rowsOf,
} from "./broker.ts";
import { SqsBroker } from "./sqs_broker.ts";

/** How the store behaves, until faults are over. */
interface StoreTemper {
  failureProbability: number;
  /** How long a save takes at most. */
  longestMs: number;
  /** How often it may still fail after a part of a batch without a word that it is the store's fault. */
  partialFailures: number;
}

/** What says that the store can be used, and does not take this. */
class Refusal extends Error {}

/** A store with one row for each key. */
class Store {
  readonly rows = new Set<string>();
  readonly #history: History;
  readonly #random: Random;
  readonly #temper: StoreTemper;

  constructor(history: History, random: Random, temper: StoreTemper) {
    this.#history = history;
    this.#random = random;
    this.#temper = temper;
  }

  async save(worker: number, outputs: readonly Output<string>[]): Promise<void> {
    const random = this.#random;
    const temper = this.#temper;
    for (const { message, key, value } of outputs) {
      this.#history.note(worker, "saving", message.id, key, Number(value.split(" ")[2]));
    }
    await sleep(random.between(1, temper.longestMs));
    if (random.happens(temper.failureProbability)) throw lostConnection();
    if (temper.partialFailures > 0 && random.happens(temper.failureProbability)) {
      temper.partialFailures--;
      this.#add(worker, outputs.slice(0, random.between(0, outputs.length)));
      throw new Error("The store has kept a part of it");
    }
    if (outputs.some(({ value }) => value.startsWith("refused "))) {
      throw new Refusal("The store refuses it");
    }
    this.#add(worker, outputs);
    if (random.happens(temper.failureProbability)) throw lostConnection();
    await sleep(random.between(1, 3));
  }

  #add(worker: number, outputs: readonly Output<string>[]): void {
    for (const { key, message, index } of outputs) {
      if (this.rows.has(key)) continue;
      this.rows.add(key);
      this.#history.note(worker, "row", message.id, `${index}`);
    }
  }
}

/** How the workers of a run work. */
interface WorkerSettings {
  readonly maxInFlight: number;
  readonly leaseMs: number;
  readonly drainMs: number;
  readonly retryDelayMs: number;
  readonly maxSuspicions: number;
  readonly concurrency: number;
  readonly saves: number;
  readonly batchSize: number;
  readonly maxWaitMs: number;
  /** How long the work on a message takes at most; 0 is none, by an operator of one to one. */
  readonly longestWorkMs: number;
}

/** What the simulation knows of a worker. */
interface Worker {
  readonly number: number;
  readonly consumer: Consumer<string>;
  readonly ended: Promise<void>;
}

/** What work on a message does: it may fail, and gives as many outputs as its kind says. */
function stageOf(
  { longestWorkMs }: WorkerSettings,
  random: Random,
  begin: (id: string, lease: string) => void,
  failures: Map<string, number>,
): Transformer<string, string> {
  const start = (body: string) => {
    const [kind, id, lease] = body.split(" ") as [string, string, string];
    begin(id, lease);
    return { kind, id };
  };
  const work = ({ kind, id }: { kind: string; id: string }) => {
    const times = failures.get(id) ?? 0;
    if (kind !== "poison" && (kind !== "moody" || times === 2)) return;
    failures.set(id, times + 1);
    throw new Error("The work has failed");
  };
  if (longestWorkMs === 0) {
    return map((body: string) => {
      work(start(body));
      return body;
    });
  }
  return {
    async transform(body, controller) {
      const message = start(body);
      await sleep(random.between(0, longestWorkMs));
      work(message);
      if (message.kind === "none") return;
      controller.enqueue(body);
      if (message.kind !== "double") return;
      await sleep(random.between(0, longestWorkMs));
      controller.enqueue(body);
    },
  };
}

const isOutage = (reason: unknown) => reason instanceof Refusal ? false : undefined;

/** Starts a worker: the library's own, with a queue and a store that are not real. */
function startWorker(
  number: number,
  queue: QueueSource<string>,
  save: (outputs: readonly Output<string>[]) => Promise<void>,
  settings: WorkerSettings,
  { history, random, failures, isAlive }: {
    history: History;
    random: Random;
    failures: Map<string, number>;
    isAlive: () => boolean;
  },
): Worker {
  const { maxInFlight, leaseMs, drainMs, retryDelayMs, maxSuspicions } = settings;
  const { concurrency, saves, batchSize, maxWaitMs } = settings;
  const consumer = new Consumer(queue, {
    ...{ maxInFlight, leaseMs, drainMs, retryDelayMs, maxSuspicions },
  });
  const begin = (id: string, lease: string) => {
    if (isAlive()) history.note(number, "begun", id, "", Number(lease));
  };
  const ended = pipeline(
    messages(consumer),
    perMessage(stageOf(settings, random, begin, failures), { concurrency }),
    stored(consumer, save, { concurrency: saves, batchSize, maxWaitMs, isOutage }),
  ).then(() => {}, () => {}).finally(() => {
    if (isAlive()) history.note(number, "ended");
  });
  return { number, consumer, ended };
}

interface Account {
  readonly kind: Kind;
  readonly key: string | undefined;
  /** Which of its key it is, counted from 0. */
  readonly place: number;
  readonly rows: Set<string>;
  isolations: number;
  leases: number;
  end: "acknowledged" | "dead" | undefined;
}

/**
 * What a history breaks of what is promised: each message is stored once as a whole, or dead for a reason; those of
 * one key come to the store and to their ends in order; and no worker works on what it has settled, or after its end.
 * A message that was worked on alone `fatalIsolations` times, or handed over `fatalLeases` times, may be dead for that.
 */
function check(
  events: readonly HistoryEvent[],
  fatalIsolations = Infinity,
  fatalLeases = Infinity,
): string[] {
  const problems: string[] = [];
  const accounts = new Map<string, Account>();
  /** How many of a key were sent, and which one was stored or came to its end last. */
  const keys = new Map<string, { sent: number; last: number }>();
  const settled = new Set<string>();
  const gone = new Set<number>();

  const checkOrder = ({ key, place }: Account, id: string) => {
    if (key === undefined) return;
    const state = keys.get(key)!;
    if (place < state.last) problems.push(`${id} comes after a later message of key ${key}`);
    state.last = Math.max(state.last, place);
  };
  for (const { worker, what, id, lease, detail } of events) {
    const account = accounts.get(id)!;
    const own = `${worker} ${lease}`;
    if (what === "sent") {
      const [kind, key] = detail.split(", key ") as [Kind, string | undefined];
      const state = keys.get(key!) ?? { sent: 0, last: -1 };
      keys.set(key!, state);
      accounts.set(id, {
        kind,
        key,
        place: state.sent++,
        rows: new Set(),
        isolations: 0,
        leases: 0,
        end: undefined,
      });
    } else if (what === "settling") settled.add(own);
    else if (what === "begun" || what === "saving") {
      // What still arrives then may only be given back.
      if (gone.has(worker)) problems.push(`worker ${worker}: ${what} ${id} after its end`);
      if (settled.has(own)) problems.push(`worker ${worker}: ${what} ${id} after it was settled`);
    } else if (what === "row") {
      if (account.rows.has(detail)) problems.push(`${id} is stored twice`);
      account.rows.add(detail);
      // A save that goes on when its lease has ended may keep a part of what is dead by now: no queue prevents that.
      if (account.end !== "dead") checkOrder(account, id);
    } else if (what === "isolated") account.isolations++;
    else if (what === "leased") account.leases++;
    else if (what === "acknowledged") {
      account.end = what;
      const { kind, rows } = account;
      if (kind === "poison" || kind === "refused") {
        problems.push(`${id} is acknowledged, and can never be stored`);
      } else if (rows.size !== rowsOf[kind]) {
        problems.push(`${id} is acknowledged with ${rows.size} of ${rowsOf[kind]} rows stored`);
      }
      checkOrder(account, id);
    } else if (what === "dead") {
      account.end = what;
      const { kind, isolations, leases } = account;
      const isToDie = kind === "poison" || kind === "refused" || isolations >= fatalIsolations ||
        leases >= fatalLeases;
      if (!isToDie) problems.push(`${id} is dead: ${detail}`);
      checkOrder(account, id);
    } else if (what === "killed" || what === "ended") gone.add(worker);
  }
  for (const [id, { end }] of accounts) {
    if (end === undefined) problems.push(`${id} is neither acknowledged nor dead`);
  }
  return problems;
}

type Save = (outputs: readonly Output<string>[]) => Promise<void>;

/** Parts with an error in them, to see that a simulation finds it. */
export interface Planted {
  readonly queue?: (queue: QueueSource<string>) => QueueSource<string>;
  readonly save?: (save: Save) => Save;
  readonly broker?: (broker: Broker | SqsBroker) => void;
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
export async function simulate(
  seed: number,
  planted: Planted = {},
  engine: "any" | "SQS" | "SQS FIFO" = "any",
): Promise<Simulated> {
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
  const now = () => clock.nowMs;
  const isSqs = engine !== "any";
  const broker = isSqs
    ? new SqsBroker(history, now, random, engine === "SQS FIFO")
    : new Broker(history, now, random);
  broker.refusesOldLeases = seed % 2 === 0;
  planted.broker?.(broker);
  const store = new Store(history, random, temper);
  const failures = new Map<string, number>();
  const workers = new Map<Worker, { isCut: boolean }>();
  const all: Promise<void>[] = [];
  let started = 0;
  let kills = 0;

  /** A worker whose calls are late loses its leases, which looks as if it had died. */
  const isOftenLate = weather.latenessProbability > 0;
  const canSuspect = () => isOftenLate || kills >= settings.maxSuspicions;
  const start = () => {
    const number = ++started;
    const { connection, queue } = broker.connect(number, weather);
    const save: Save = (outputs) =>
      connection.isCut ? Promise.reject(lostConnection()) : store.save(number, outputs);
    const worker = startWorker(
      number,
      planted.queue?.(queue) ?? queue,
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

  return await clock.during(random.next, async () => {
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
      Object.assign(weather, calm);
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
    const fatalIsolations = canSuspect() ? settings.maxSuspicions : Infinity;
    problems.unshift(...check(history.events, fatalIsolations, isSqs ? 5 : Infinity));
    return { seed, problems, history, messages: count, kills };
  });
}
