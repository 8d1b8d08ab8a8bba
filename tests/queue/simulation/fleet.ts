import "./virtual_turns.ts";
import {
  Consumer,
  type Delivery,
  messages,
  perMessage,
  type QueueSource,
  type Receipt,
  type ReceiveOptions,
  stored,
} from "@hosepipe/streams/queue";
import { map, pipeline } from "@hosepipe/streams";
import type {
  FleetCall,
  FleetOptions,
  FleetPhase,
  FleetReport,
} from "../../../scripts/documents/fleet_table.ts";
import { lostConnection, Random } from "./broker.ts";
import { sleep, VirtualClock } from "./virtual_clock.ts";

interface Entry {
  readonly id: string;
  readonly partition: number;
  readonly place: number;
  readonly sentAtMs: number;
  readonly isKiller: boolean;
  deliveries: number;
  failures: number;
  isolations: number;
  lease: number;
  isolatedLease: number;
}

interface Partition {
  /** Those that are neither stored nor dead, in order; only the first may be handed over. */
  readonly entries: Entry[];
  heldUntilMs: number;
  lastStored: number;
  sent: number;
}

interface Waiter {
  readonly max: number;
  readonly resolve: (entries: Entry[]) => void;
}

interface FleetReceipt extends Receipt {
  readonly entry: Entry;
  readonly lease: number;
}

const travelMs = 3;
const leaseMs = 30_000;

/** A queue with very many keys: what it does takes no longer with more messages or workers. */
class FleetBroker {
  readonly partitions: Partition[];
  readonly #ready: Partition[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #now: () => number;
  #lastLease = 0;
  phase!: FleetPhase;
  delaysMs: number[] = [];
  disordered = 0;

  constructor(partitions: number, now: () => number) {
    this.#now = now;
    this.partitions = Array.from({ length: partitions }, () => {
      return { entries: [], heldUntilMs: 0, lastStored: -1, sent: 0 };
    });
  }

  send(partition: number, isKiller: boolean): void {
    const lane = this.partitions[partition]!;
    const place = lane.sent++;
    lane.entries.push({
      ...{ id: `${partition}/${place}`, partition, place, isKiller, sentAtMs: this.#now() },
      ...{ deliveries: 0, failures: 0, isolations: 0, lease: 0, isolatedLease: 0 },
    });
    this.phase.sent++;
    if (lane.entries.length === 1) this.#offer(lane);
  }

  receive(max: number, waitMs: number, signal: AbortSignal): Promise<Entry[]> {
    return new Promise((resolve) => {
      const entries = this.#lease(max);
      if (entries.length > 0 || signal.aborted) return resolve(entries);
      const waiter: Waiter = {
        max,
        resolve: (entries) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          this.#waiters.delete(waiter);
          resolve(entries);
        },
      };
      const end = () => waiter.resolve([]);
      const timer = setTimeout(end, waitMs);
      signal.addEventListener("abort", end);
      this.#waiters.add(waiter);
    });
  }

  /** Frees a message's key after a delay, with the message or without. */
  release(receipt: FleetReceipt, isOver: boolean, delayMs = 0): boolean {
    const { entry, lease } = receipt;
    if (entry.lease !== lease) return false;
    const lane = this.partitions[entry.partition]!;
    entry.lease = 0;
    if (isOver) lane.entries.shift();
    this.#hold(lane, delayMs);
    return true;
  }

  extend({ entry, lease }: FleetReceipt, forMs = leaseMs): void {
    if (entry.lease === lease) this.#hold(this.partitions[entry.partition]!, forMs);
  }

  /** Takes what was saved as it is, and counts it if it was not stored before. */
  store(entry: Entry): void {
    const lane = this.partitions[entry.partition]!;
    if (entry.place <= lane.lastStored) {
      this.phase.repeats++;
      return;
    }
    lane.lastStored = entry.place;
    if (lane.entries[0] !== entry) this.disordered++;
    this.phase.stored++;
    this.delaysMs.push(this.#now() - entry.sentAtMs);
  }

  /** Messages that are neither stored nor dead. */
  get left(): number {
    return this.partitions.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  orphans(): number {
    let count = 0;
    for (const { entries: [first] } of this.partitions) {
      if (first === undefined || first.isolations > 1) continue;
      if (first.deliveries - first.failures > (first.lease === 0 ? 0 : 1)) count++;
    }
    return count;
  }

  /** Keeps others from a key: until then, unless it is held anew meanwhile. */
  #hold(lane: Partition, forMs: number): void {
    const untilMs = this.#now() + forMs;
    lane.heldUntilMs = untilMs;
    if (forMs === 0) return this.#offer(lane);
    setTimeout(() => {
      if (lane.heldUntilMs !== untilMs) return;
      // Its worker is gone, or a pause is over.
      if (lane.entries[0] !== undefined) lane.entries[0].lease = 0;
      this.#offer(lane);
    }, forMs);
  }

  #offer(lane: Partition): void {
    if (lane.entries.length === 0 || lane.heldUntilMs > this.#now()) return;
    this.#ready.push(lane);
    const [waiter] = this.#waiters;
    waiter?.resolve(this.#lease(waiter.max));
  }

  #lease(max: number): Entry[] {
    const entries: Entry[] = [];
    while (entries.length < max && this.#ready.length > 0) {
      const lane = this.#ready.shift()!;
      const [entry] = lane.entries;
      if (entry === undefined || entry.lease !== 0 || lane.heldUntilMs > this.#now()) continue;
      if (entry.deliveries++ > 0) this.phase.redelivered++;
      entry.lease = ++this.#lastLease;
      this.#hold(lane, leaseMs);
      entries.push(entry);
    }
    return entries;
  }
}

/** What one worker sees of the queue. */
class FleetConnection implements QueueSource<Entry> {
  readonly #broker: FleetBroker;
  isCut = false;

  constructor(broker: FleetBroker) {
    this.#broker = broker;
  }

  async #call(name: FleetCall): Promise<FleetBroker> {
    await sleep(travelMs);
    if (this.isCut) throw lostConnection();
    this.#broker.phase.calls[name]++;
    return this.#broker;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  async receive(max: number, { waitMs, signal }: ReceiveOptions): Promise<Delivery<Entry>[]> {
    const broker = await this.#call("receive");
    const entries = await broker.receive(max, waitMs, signal);
    if (entries.length === 0) broker.phase.calls.empty++;
    await sleep(travelMs);
    // A worker that is gone leaves what was on its way to it leased.
    if (this.isCut) throw lostConnection();
    return entries.map((entry) => {
      const { id, lease, deliveries, failures, isolations } = entry;
      const receipt: FleetReceipt = { id, entry, lease };
      return { id, body: entry, receipt, deliveries, failures, isolations };
    });
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    const broker = await this.#call("ack");
    for (const receipt of receipts as readonly FleetReceipt[]) broker.release(receipt, true);
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    const broker = await this.#call("nack");
    for (const receipt of receipts as readonly FleetReceipt[]) {
      const { entry, lease } = receipt;
      if (!broker.release(receipt, false)) continue;
      entry.deliveries--;
      if (entry.isolatedLease === lease) entry.isolations--;
    }
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const broker = await this.#call("fail");
    for (const receipt of receipts as readonly FleetReceipt[]) {
      if (!broker.release(receipt, false, delayMs)) continue;
      receipt.entry.failures++;
      receipt.entry.isolations = 0;
    }
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    const broker = await this.#call("isolate");
    const { entry, lease } = receipt as FleetReceipt;
    if (entry.lease !== lease || entry.isolatedLease === lease) return;
    entry.isolations++;
    entry.isolatedLease = lease;
    broker.extend(receipt as FleetReceipt, leaseMs + delayMs);
  }

  async orphans(): Promise<number> {
    return (await this.#call("orphans")).orphans();
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    const broker = await this.#call("extend");
    for (const receipt of receipts) broker.extend(receipt as FleetReceipt);
  }

  async deadLetter({ receipt }: Delivery<Entry>): Promise<void> {
    const broker = await this.#call("ack");
    if (!broker.release(receipt as FleetReceipt, true)) return;
    broker.phase[(receipt as FleetReceipt).entry.isKiller ? "killersDead" : "healthyDead"]++;
  }

  send(): Promise<void> {
    throw new Error("Nothing is sent by a worker");
  }

  depth(): Promise<{ waiting: number; leased: number; dead: number }> {
    throw new Error("No worker asks how much there is");
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const phases = ["steady", "lost zone", "hot key", "killers", "deploy", "steady"];

function startPhase(name: string): FleetPhase {
  return {
    name,
    sent: 0,
    stored: 0,
    redelivered: 0,
    repeats: 0,
    healthyDead: 0,
    killersDead: 0,
    calls: { receive: 0, empty: 0, ack: 0, extend: 0, nack: 0, fail: 0, isolate: 0, orphans: 0 },
    delayS: { half: 0, most99: 0, longest: 0 },
  };
}

/** How long what has arrived took: the half, 99 of 100, and the longest. */
function describeDelays(delaysMs: number[]): FleetPhase["delayS"] {
  const sorted = Float64Array.from(delaysMs).sort();
  const at = (share: number) =>
    Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / 100) / 10;
  return { half: at(0.5), most99: at(0.99), longest: at(1) };
}

/** The work on a message takes from one second to this. */
const longestWorkMs = 19_000;
const killerProbability = 1 / 2_000;
/** What the hot key is sent in a second: twice what can be worked on one by one. */
const hotRate = 2 / 10;
const restartMs = 10_000;
const zoneRestartMs = 300_000;
const waves = 20;
const waveMs = 30_000;

/**
 * Runs the library's own consumers, as many as asked for, on a simulated clock, from a queue that keeps the order of
 * each key. Six equal parts of the time: nothing happens; a third of the workers die at once, and are started again
 * after five minutes; one key is sent twice what can be worked on one by one; some kill the worker that begins them; all workers are
 * stopped and replaced, in twenty waves half a minute apart; nothing happens.
 *
 * @param onPhase Called when a part is over.
 */
export async function runFleet(
  options: FleetOptions,
  onPhase: (phase: FleetPhase) => void,
): Promise<FleetReport> {
  const { workers: count, partitions, hours, rate, seed } = options;
  const random = new Random(seed);
  const clock = new VirtualClock();
  const broker = new FleetBroker(partitions, () => clock.nowMs);
  const connections = new Map<Consumer<Entry>, FleetConnection>();
  const partMs = hours * 3_600_000 / phases.length;
  const done: FleetPhase[] = [];

  const start = () => {
    const connection = new FleetConnection(broker);
    const consumer = new Consumer(connection, { maxInFlight: 1, leaseMs });
    connections.set(consumer, connection);
    const die = () => {
      connection.isCut = true;
      // One that was to end is not started again.
      if (end(consumer)) setTimeout(start, restartMs);
    };
    const work = async (entry: Entry) => {
      if (entry.isKiller) die();
      await sleep(random.between(1_000, longestWorkMs));
      return entry;
    };
    pipeline(
      messages(consumer),
      perMessage(map(work)),
      stored(consumer, async (outputs) => {
        await sleep(travelMs);
        if (connection.isCut) throw lostConnection();
        for (const { value } of outputs) broker.store(value);
      }),
    ).catch(() => {});
  };
  /** Stops a worker; answers whether it was still to work. */
  const end = (consumer: Consumer<Entry>): boolean => {
    consumer.stop();
    return connections.delete(consumer);
  };
  const happenings: Readonly<Record<number, () => void>> = {
    1: () => {
      const lost = [...connections].slice(0, Math.floor(count / 3));
      for (const [consumer, connection] of lost) {
        connection.isCut = true;
        end(consumer);
      }
      setTimeout(() => lost.forEach(start), zoneRestartMs);
    },
    4: () => {
      const old = [...connections.keys()];
      const size = Math.ceil(count / waves);
      for (let wave = 0; wave < waves; wave++) {
        setTimeout(() => {
          for (const consumer of old.slice(wave * size, (wave + 1) * size)) {
            if (end(consumer)) start();
          }
        }, wave * waveMs);
      }
    },
  };

  clock.install(random.next);
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const closePhase = () => {
      broker.phase.delayS = describeDelays(broker.delaysMs);
      broker.delaysMs = [];
      done.push(broker.phase);
      onPhase(broker.phase);
    };
    broker.phase = startPhase(phases[0]!);
    for (let worker = 0; worker < count; worker++) start();
    let part = 0;
    const send = () => {
      const isHot = part === 2 && random.happens(hotRate / rate);
      const isKiller = part === 3 && random.happens(killerProbability);
      broker.send(isHot ? 0 : random.between(0, partitions - 1), isKiller);
    };
    const sending = setInterval(send, 1_000 / rate);
    for (let next = 1; next < phases.length; next++) {
      setTimeout(() => {
        closePhase();
        part = next;
        broker.phase = startPhase(phases[next]!);
        happenings[next]?.();
      }, next * partMs);
    }
    setTimeout(() => clearInterval(sending), phases.length * partMs);
    await clock.settle();
    const endMs = phases.length * partMs;
    // What is left at the end has as long again.
    while (clock.nowMs < endMs || (broker.left > 0 && clock.nowMs < 2 * endMs)) await clock.step();
    closePhase();
    for (const consumer of connections.keys()) consumer.stop();
    for (let steps = 0; clock.timers > 0 && steps < 100 * count; steps++) await clock.step();
    return { options, phases: done, lost: broker.left, disordered: broker.disordered };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    clock.uninstall();
  }
}
