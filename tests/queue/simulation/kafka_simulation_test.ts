// First: the library keeps `setImmediate` when it is loaded.
import { sleep, VirtualClock } from "./virtual_clock.ts";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { map, pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { kafkaQueue } from "@hosepipe/streams/queue/kafka";
import { draws, firstSeedOf } from "../../lib/thorough.ts";
import { lostConnection, Random } from "./broker.ts";
import { KafkaCluster, type KafkaPlant, Network } from "./kafka_cluster.ts";

const longestMs = 600_000;
const encoder = new TextEncoder();

/** What a seed has come to. */
interface Outcome {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly log: readonly string[];
  readonly counts: Readonly<Record<"messages" | "kills" | "rebalances" | "repeats", number>>;
}

/** Members of a group that come, go, die and are cut off, on a clock that is not real and may jump. */
async function simulateKafka(seed: number, plant: KafkaPlant = {}): Promise<Outcome> {
  const random = new Random(seed);
  const clock = new VirtualClock();
  /** The key of each message's row. */
  const rows = new Map<string, string>();
  const failures = new Map<string, number>();
  const log: string[] = [];
  const problems: string[] = [];
  const counts = { messages: 0, kills: 0, rebalances: 0, repeats: 0 };
  const say = (text: string) => void log.push(`${Math.round(clock.nowMs)} ms ${text}`);
  const cluster = new KafkaCluster(random, random.between(1, 6), plant, (id) => rows.has(id));
  cluster.weather.lossProbability = random.pick([0, 0.04, 0.2]);
  const settings = {
    ...{ maxInFlight: random.pick([1, 4, 16, 128]), leaseMs: random.pick([300, 5_000]) },
    retryDelayMs: random.pick([0, 50, 500]),
  };
  const batchSize = random.pick([1, 5, 20]);
  const window = random.pick([1, 3, 1_000, 1_000]);
  const longestSaveMs = random.pick([2, 50, 1_500]);
  let failureProbability = random.pick([0, 0.1]);
  let isOver = false;
  let isEnding = false;
  // What was suspended finds that its leases are over.
  let jumpMs = 0;
  const workers = new Map<number, { network: Network; stop(): void }>();
  const all: Promise<void>[] = [];

  const kindOf = (id: string) => {
    const [, partition, offset] = id.split("/").map(Number);
    return `${cluster.logs[partition!]![offset!]!.headers!.kind}`;
  };
  const checkOrder = (id: string) => {
    const [topic, partition, offset] = id.split("/");
    const entries = cluster.logs[Number(partition)]!;
    const key = entries[Number(offset)]!.key?.toString();
    for (const [at, entry] of entries.slice(0, Number(offset)).entries()) {
      const before = `${topic}/${partition}/${at}`;
      const isDone = rows.has(before) || cluster.deadIds.has(before);
      if (key !== undefined && entry.key?.toString() === key && !isDone) {
        problems.push(`${id} is stored before ${before} of the same key`);
      }
    }
  };
  let lastWorker = 0;
  const start = () => {
    const number = ++lastWorker;
    const network = new Network(cluster);
    const queue = kafkaQueue(cluster.connect(network), {
      ...{ topic: "t", group: "g", sessionTimeoutMs: 1_000, window },
    });
    const consumer = new Consumer(queue, settings);
    const work = (body: string) => {
      const id = body;
      const kind = kindOf(id);
      const times = failures.get(id) ?? 0;
      if (kind === "poison" || (kind === "moody" && times < 2)) {
        failures.set(id, times + 1);
        throw new Error("The work has failed");
      }
      return body;
    };
    const save = async (outputs: readonly { key: string; value: string }[]) => {
      await sleep(random.between(1, isOver ? 5 : longestSaveMs));
      if (network.isCut || random.happens(failureProbability)) throw lostConnection();
      for (const { key, value } of outputs) {
        if (rows.has(value)) {
          counts.repeats++;
          if (rows.get(value) !== key) problems.push(`${value} is stored by two keys`);
          continue;
        }
        checkOrder(value);
        rows.set(value, key);
      }
      if (network.isCut || random.happens(failureProbability)) throw lostConnection();
    };
    say(`worker ${number} starts`);
    const ended = pipeline(
      messages(consumer),
      perMessage(map(work)),
      stored<string>(consumer, save, { batchSize, maxWaitMs: 20, concurrency: 2 }),
    ).catch((error) => {
      // What cannot be opened is the pipeline's failure: who runs it starts it again.
      say(`worker ${number}: ${error}`);
      if (workers.delete(number)) setTimeout(() => isEnding || start(), 100);
    }).then(() => queue.close());
    all.push(ended);
    workers.set(number, { network, stop: () => consumer.stop() });
  };
  const disturb = () => {
    if (workers.size === 0) return;
    const number = random.pick([...workers.keys()]);
    const { network, stop } = workers.get(number)!;
    const fault = random.pick(["kill", "stop", "join", "away", "clock", "expel", "rebalance"]);
    say(`${fault} ${number}`);
    if (fault === "kill" || fault === "stop") {
      network.isCut = fault === "kill";
      if (network.isCut) counts.kills++;
      workers.delete(number);
      stop();
      start();
    } else if (fault === "join") start();
    else if (fault === "clock") jumpMs += random.between(1, 10_000);
    else if (fault === "rebalance") cluster.prepare();
    else if (fault === "expel") {
      const [member] = [...cluster.members.values()];
      if (member !== undefined) cluster.expel(member);
    } else {
      network.isAway = true;
      setTimeout(() => network.isAway = false, random.between(10, 5_000));
    }
  };

  return await clock.during(random.next, async () => {
    const { now } = performance;
    performance.now = () => now() + jumpMs;
    const watch = setInterval(() => cluster.expelSilent(), 100);
    const horizonMs = random.pick([100, 1_000, 10_000]);
    counts.messages = random.between(1, 60);
    for (let index = 0; index < counts.messages; index++) {
      const kind = random.pick(["plain", "plain", "plain", "plain", "moody", "poison", "garbled"]);
      const key = random.happens(0.6) ? encoder.encode(random.pick(["a", "b", "c"])) : null;
      const number = random.between(0, cluster.logs.length - 1);
      setTimeout(() => {
        const entries = cluster.logs[number]!;
        const offset = `${entries.length}`;
        const value = kind === "garbled"
          ? Uint8Array.of(255)
          : encoder.encode(`t/${number}/${offset}`);
        entries.push({ key, value, offset, headers: { kind } });
      }, 1 + index * horizonMs / 60);
    }
    for (let worker = random.between(1, 4); worker > 0; worker--) start();
    for (let faults = random.between(0, 8); faults > 0; faults--) {
      setTimeout(disturb, random.between(1, horizonMs));
    }
    setTimeout(() => {
      isOver = true;
      cluster.weather.lossProbability = 0;
      failureProbability = 0;
    }, horizonMs);
    const isDone = () => clock.nowMs > horizonMs && cluster.left === 0;
    await clock.settle();
    while (clock.nowMs < longestMs && !isDone() && problems.length === 0 && await clock.step());
    if (!isDone()) problems.push(`${cluster.left} are left: ${JSON.stringify(cluster.committed)}`);
    isEnding = true;
    const left = [...workers.values()];
    workers.clear();
    for (const { stop } of left) stop();
    let open = all.length;
    for (const ended of all) void ended.then(() => open--, () => open--);
    const lastMs = clock.nowMs + longestMs;
    while (clock.nowMs < lastMs && open > 0 && await clock.step());
    clearInterval(watch);
    while (clock.nowMs < lastMs && await clock.step());
    if (open > 0) problems.push(`${open} workers do not end`);
    if (clock.timers > 0) problems.push(`${clock.timers} timers are left`);
    for (const id of cluster.deadIds) {
      if (["plain", "moody"].includes(kindOf(id))) problems.push(`${id} is dead, and healthy`);
    }
    counts.rebalances = cluster.rebalances;
    return { seed, problems: [...cluster.problems, ...problems], log, counts };
  });
}

const seeds = draws(100);

test(
  `kafkaQueue: ${seeds} seeds of members that come, go, die and are cut off lose and double nothing`,
  { timeout: draws(300_000) },
  async () => {
    const sums = { messages: 0, kills: 0, rebalances: 0, repeats: 0 };
    const first = firstSeedOf(seeds);
    for (let seed = first; seed < first + seeds; seed++) {
      const { problems, log, counts } = await simulateKafka(seed);
      assertEquals(problems, [], `seed ${seed}\n${log.join("\n")}`);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
    }
    // Otherwise nothing was at stake.
    for (const [name, sum] of Object.entries(sums)) {
      assert(sum > seeds / 5, `${name}: ${sum}`);
    }
  },
);

const plants: readonly [name: string, problem: RegExp, plant: KafkaPlant][] = [
  ["a commit that is one too far", /is lost/, {
    commit: (place) => ({ ...place, offset: `${Number(place.offset) + 1}` }),
  }],
  ["a group that fences no member", /does not have it|goes back/, { fencesNone: true }],
  ["a client that loses the keys", /before .* of the same key/, {
    message: (message) => ({ ...message, key: null }),
  }],
];

for (const [name, problem, plant] of plants) {
  test(`kafkaQueue: the simulation finds ${name}`, { timeout: 120_000 }, async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 100 && !problem.test(`${found}`); seed++) {
      found.push(...(await simulateKafka(seed, plant)).problems);
    }
    assertMatch(`${found}`, problem);
  });
}
