// First: the library keeps `setImmediate` when it is loaded.
import { sleep, VirtualClock } from "./virtual_clock.ts";
import { Consumer, messages, perMessage, type QueueSource, stored } from "@hosepipe/streams/queue";
import { map, pipeline } from "@hosepipe/streams";
import type {
  FleetCall,
  FleetOptions,
  FleetPhase,
  FleetReport,
} from "../../../scripts/documents/fleet_table.ts";
import {
  Broker,
  calm,
  History,
  type HistoryEvent,
  lostConnection,
  Random,
  type Wire,
} from "./broker.ts";

const travelMs = 3;
const leaseMs = 30_000;

const phases = ["steady", "lost zone", "hot key", "killers", "deploy", "steady"];

/** Counts what happens, in place of keeping it. */
class Tally extends History {
  readonly killers = new Set<string>();
  phase = startPhase(phases[0]!);
  delaysMs: number[] = [];
  disordered = 0;

  override note(_worker: number, what: HistoryEvent["what"], id = "", detail = ""): void {
    const { phase } = this;
    if (what === "sent") phase.sent++;
    else if (what === "leased" && detail !== "") phase.redelivered++;
    else if (what === "dead") phase[this.killers.has(id) ? "killersDead" : "healthyDead"]++;
  }

  /** The queue, whose calls are counted. */
  count<T>(queue: QueueSource<T>): QueueSource<T> {
    return new Proxy(queue, {
      get: (target, name) => async (...args: unknown[]) => {
        const call = (name === "deadLetter" ? "ack" : name) as FleetCall;
        const { calls } = this.phase;
        if (call in calls) calls[call]++;
        const answer = await Reflect.get(target, name).apply(target, args);
        if (call === "receive" && answer.length === 0) calls.empty++;
        return answer;
      },
    });
  }
}

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
  const tally = new Tally(() => clock.nowMs);
  const broker = new Broker(tally, () => clock.nowMs, random);
  const connections = new Map<Consumer<string>, Wire>();
  /** Of each key how many were sent, and which was stored last. */
  const places = Array.from({ length: partitions }, () => ({ sent: 0, last: -1 }));
  const partMs = hours * 3_600_000 / phases.length;
  const done: FleetPhase[] = [];

  /** Counts what is saved, if it was not stored before. */
  const store = (id: string) => {
    const [partition, place, sentAtMs] = id.split("/").map(Number) as [number, number, number];
    const lane = places[partition]!;
    if (place <= lane.last) {
      tally.phase.repeats++;
      return;
    }
    lane.last = place;
    if (!broker.isFirst({ id, key: `${partition}` })) tally.disordered++;
    tally.phase.stored++;
    tally.delaysMs.push(clock.nowMs - sentAtMs);
  };
  let started = 0;
  const start = () => {
    const { connection, queue } = broker.connect(++started, calm);
    const consumer = new Consumer(tally.count(queue), { maxInFlight: 1, leaseMs });
    connections.set(consumer, connection);
    const die = () => {
      connection.isCut = true;
      // One that was to end is not started again.
      if (end(consumer)) setTimeout(start, restartMs);
    };
    const work = async (body: string) => {
      if (body.startsWith("poison")) die();
      await sleep(random.between(1_000, longestWorkMs));
      return body;
    };
    pipeline(
      messages(consumer),
      perMessage(map(work)),
      stored(consumer, async (outputs) => {
        await sleep(travelMs);
        if (connection.isCut) throw lostConnection();
        for (const { message } of outputs) store(message.id);
      }),
    ).catch(() => {});
  };
  /** Stops a worker; answers whether it was still to work. */
  const end = (consumer: Consumer<string>): boolean => {
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

  return await clock.during(random.next, async () => {
    const closePhase = () => {
      tally.phase.delayS = describeDelays(tally.delaysMs);
      tally.delaysMs = [];
      done.push(tally.phase);
      onPhase(tally.phase);
    };
    for (let worker = 0; worker < count; worker++) start();
    let part = 0;
    const send = () => {
      const isHot = part === 2 && random.happens(hotRate / rate);
      const isKiller = part === 3 && random.happens(killerProbability);
      const partition = isHot ? 0 : random.between(0, partitions - 1);
      const id = `${partition}/${places[partition]!.sent++}/${clock.nowMs}`;
      if (isKiller) tally.killers.add(id);
      broker.send(id, isKiller ? "poison" : "plain", `${partition}`);
    };
    const sending = setInterval(send, 1_000 / rate);
    for (let next = 1; next < phases.length; next++) {
      setTimeout(() => {
        closePhase();
        part = next;
        tally.phase = startPhase(phases[next]!);
        happenings[next]?.();
      }, next * partMs);
    }
    setTimeout(() => clearInterval(sending), phases.length * partMs);
    await clock.settle();
    const endMs = phases.length * partMs;
    // What is left at the end has as long again.
    while (clock.nowMs < endMs || (broker.entries.size > 0 && clock.nowMs < 2 * endMs)) {
      await clock.step();
    }
    closePhase();
    for (const consumer of connections.keys()) consumer.stop();
    for (let steps = 0; clock.timers > 0 && steps < 100 * count; steps++) await clock.step();
    return { options, phases: done, lost: broker.entries.size, disordered: tally.disordered };
  });
}
