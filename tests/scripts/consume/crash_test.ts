import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { findRuntimes, type Runtime } from "../../../runtimes/find_runtime.ts";
import { openBroker } from "../../../scenarios/consume/broker.ts";
import { OrderStore, toMessage } from "../../../scenarios/consume/order_store.ts";
import {
  type ConsumePlan,
  runConsume,
  type WorkerEnd,
  WorkerProcess,
} from "../../../scenarios/consume/run_consume.ts";
import type { Verdict } from "../../../scenarios/consume/verdict.ts";
import type { WorkerJob } from "../../../scenarios/consume/worker_job.ts";
import { inFolder } from "../../lib/in_folder.ts";
import { isThorough } from "../../lib/thorough.ts";
import { until } from "../../lib/until.ts";
import { skipNats, withNats } from "../../queue/adapters/_nats_server.ts";
import { openPostgres, skipPostgres } from "../../queue/adapters/_postgres.ts";
import { skipRedis, withRedisServers } from "../../queue/adapters/_redis.ts";

/**
 * When the last of some jobs ends if each begins, in order, as soon as one of `concurrency` places is free: the
 * schedule of a writer that loses no time.
 */
function greedyMakespan(durations: readonly number[], concurrency: number): number {
  const freeAt = new Array<number>(concurrency).fill(0);
  for (const duration of durations) {
    let first = 0;
    for (let place = 1; place < concurrency; place++) {
      if (freeAt[place]! < freeAt[first]!) first = place;
    }
    freeAt[first]! += duration;
  }
  return Math.max(...freeAt);
}

// What runs the test is what is found, whatever PATH says.
process.env[`HOSEPIPE_${currentRuntime().name.toUpperCase()}`] = process.execPath;
let found: Promise<Runtime[]> | undefined;

/** Workers' runtimes: all there are, by turns, from the one at `first`. */
async function mixedRuntimes(count: number, first = 0): Promise<Runtime[]> {
  const runtimes = await (found ??= findRuntimes());
  return Array.from({ length: count }, (_, index) => runtimes[(first + index) % runtimes.length]!);
}

/** Where a test's queue and store are. */
interface Place {
  readonly broker: string;
  readonly store: string;
}

/** Each kind of broker, made anew for a test, with a folder. */
const brokers: readonly {
  readonly name: "SQLite" | "NATS" | "PostgreSQL" | "Redis";
  readonly skip: string | false;
  with(folder: string, use: (broker: string) => Promise<void>): Promise<void>;
}[] = [{
  name: "SQLite",
  skip: process.platform === "win32" ? "no signals there" : false,
  with: (folder, use) => use(`sqlite:${join(folder, "queue.sqlite")}`),
}, {
  name: "NATS",
  skip: skipNats,
  with: (_, use) => withNats(({ address }) => use(address)),
}, {
  name: "PostgreSQL",
  skip: skipPostgres,
  async with(_, use) {
    const { run, end } = openPostgres.postgres();
    const database = `consume_${randomUUID().slice(0, 8)}`;
    await run(`CREATE DATABASE ${database}`);
    try {
      await use(new URL(database, process.env.POSTGRES_URI).href);
    } finally {
      await run(`DROP DATABASE ${database} WITH (FORCE)`);
      await end();
    }
  },
}, {
  name: "Redis",
  skip: skipRedis,
  with: (_, use) => withRedisServers(1, ([server]) => use(server!.address)),
}];

const never = new AbortController().signal;
const job = {
  maxInFlight: 200,
  concurrency: 2,
  batchSize: 50,
  leaseMs: 1_000,
  drainMs: 10_000,
  retryDelayMs: 50,
};

async function run(place: Place, plan: Partial<ConsumePlan>): Promise<Verdict> {
  const { broker, store } = place;
  const runtimes = plan.runtimes ?? await mixedRuntimes(4);
  const verdict = await runConsume({
    broker,
    store,
    messages: 0,
    job,
    signal: never,
    ...plan,
    runtimes,
  });
  // Of a run as long as promised the figures are wanted.
  if (isThorough) console.log(JSON.stringify(verdict));
  return verdict;
}

/** Starts one worker; there may be nothing left for it. */
async function openWorker(
  { broker, store }: Place,
  more: Partial<WorkerJob>,
  index = 0,
): Promise<WorkerProcess> {
  const [runtime] = await mixedRuntimes(1, index);
  return new WorkerProcess(runtime!, { ...job, broker, store, ...more });
}

/** Starts one worker, and waits until it has something in work. */
async function startWorker(
  place: Place,
  more: Partial<WorkerJob>,
  index = 0,
): Promise<WorkerProcess> {
  const worker = await openWorker(place, more, index);
  while ((worker.report?.inFlight ?? 0) === 0) await wait(5);
  return worker;
}

/** Sends orders; gives a way to look at the queue. */
async function sendOrders(place: Place, count: number, leaseMs: number) {
  const broker = await openBroker(place.broker, { leaseMs, create: true });
  await broker.queue.send(Array.from({ length: count }, (_, order) => toMessage(order)));
  return broker;
}

type Queue = Awaited<ReturnType<typeof sendOrders>>["queue"];

/** Waits until nothing is in the queue; looks seldom enough to cost its workers little. */
async function untilEmpty(queue: Queue): Promise<void> {
  await until(async () => {
    await wait(50);
    const { waiting, leased } = await queue.depth();
    return waiting + leased === 0;
  });
}

function summaryOf({ store }: Place) {
  const opened = new OrderStore(store);
  const summary = opened.summary();
  opened.close();
  return summary;
}

/** With HOSEPIPE_ALONE=1 nothing else runs, and what is of time is tested too. */
const isAlone = process.env.HOSEPIPE_ALONE === "1";

// Each needs half a minute, and has workers in all runtimes whatever runs it.
const home = { SQLite: "node", NATS: "deno", PostgreSQL: "bun", Redis: "deno" } as const;
const current = currentRuntime().name;

// The first of a test's runtimes, of which the gate starts fewer than there are: another for each broker.
const firstRuntime = { SQLite: 2, NATS: 0, PostgreSQL: 1, Redis: 1 } as const;

for (const { name, skip: why, with: withBroker } of brokers) {
  const first = firstRuntime[name];
  const skip = why || (current === home[name] || isThorough ? false : `runs under ${home[name]}`);
  const brokerTest = (what: string, use: (place: Place) => Promise<void>, left = skip) =>
    test(
      `${name}: ${what}`,
      { skip: left },
      () =>
        inFolder((folder) =>
          withBroker(folder, (broker) => use({ broker, store: join(folder, "store.sqlite") }))
        ),
    );

  brokerTest(
    "workers are killed, half of them between commit and acknowledgement, and nothing is lost",
    async (place) => {
      const [messages, kills] = isThorough ? [60_000, 100] : [600, 4];
      const verdict = await run(place, {
        messages,
        runtimes: await mixedRuntimes(isThorough ? 4 : 3),
        killEveryMs: isThorough ? 300 : 100,
        // Few at a time, so that the work takes as long as the kills do.
        job: { ...job, maxInFlight: isThorough ? 8 : 12, batchSize: isThorough ? 4 : 6 },
        maxKills: kills / 2,
        // The others die by themselves, after a write of their own choosing.
        faults: (started) => ({
          writeMs: isThorough ? 10 : 50,
          // Not the first, which is in the runtime that is slowest to start.
          killAfterWrite: started % 2 === 1 && started < kills ? 1 + started * 7 % 20 : undefined,
        }),
      });
      assertEquals(verdict.problems, []);
      assertEquals([verdict.stored + verdict.dead, verdict.lost], [messages, 0]);
      // Though some were worked on alone when their worker was killed.
      assertEquals(verdict.dead, 0);
      // One that is to die by itself may be killed before.
      assert(verdict.kills > kills / 2 && verdict.kills <= kills, `${verdict.kills} kills`);
      // Every line that was committed and not acknowledged came again, was absorbed, and is counted.
      assert(verdict.crashes.lines > 0, "some died between commit and acknowledgement");
      assertEquals(verdict.crashes.repeated, verdict.crashes.lines);
      assert(verdict.repeats >= verdict.crashes.lines);
    },
  );

  brokerTest(
    "of one order that always fails and one that kills its worker, exactly these two are dead",
    async (place) => {
      const messages = isThorough ? 2_000 : 600;
      // Its workers die seven times at least, and start in it with the least work.
      const [bun] = await mixedRuntimes(1, 1);
      const verdict = await run(place, {
        messages,
        runtimes: isThorough ? await mixedRuntimes(2) : [bun!, bun!],
        // Fewer are orphaned with it, and kill no more workers than they must.
        job: { ...job, maxInFlight: isThorough ? 200 : 60 },
        faults: () =>
          isThorough ? { failAt: [456], killAt: [1_234] } : { failAt: [45], killAt: [345] },
      });
      assertEquals(verdict.problems, []);
      assertEquals([verdict.stored, verdict.dead, verdict.lost], [messages - 2, 2, 0]);
      // Twice in company, and five times alone; more often while that company is orphaned.
      assert(verdict.kills >= 7 && verdict.kills <= 22, `${verdict.kills} kills`);
    },
  );

  brokerTest("the same in threads, and a kill between", async (place) => {
    const messages = isThorough ? 1_000 : 300;
    const verdict = await run(place, {
      messages,
      runtimes: isThorough ? await mixedRuntimes(3) : await mixedRuntimes(2, first),
      // Fewer in a batch, so that fewer messages take as long.
      job: { ...job, threads: 2, batchSize: isThorough ? 50 : 10 },
      killEveryMs: 500,
      maxKills: isThorough ? 2 : 1,
      faults: () => ({ failAt: [123], writeMs: isThorough ? 5 : 20 }),
    });
    assertEquals(verdict.problems, []);
    assertEquals([verdict.stored, verdict.dead, verdict.lost], [messages - 1, 1, 0]);
  });

  brokerTest("a write of two and a half leases is not delivered again", async (place) => {
    const messages = isThorough ? 400 : 200;
    const verdict = await run(place, {
      messages,
      runtimes: await mixedRuntimes(2, first),
      // Long enough for a busy machine to let a worker extend it.
      job: { ...job, leaseMs: 2_000, concurrency: 1, batchSize: 200 },
      faults: () => ({ writeMs: 5_000 }),
    });
    assertEquals(verdict.problems, []);
    assertEquals([verdict.stored, verdict.repeats, verdict.kills], [messages, 0, 0]);
  });

  brokerTest(
    "a worker that stands still for two leases and goes on does no harm",
    async (place) => {
      const count = isThorough ? 3_000 : 600;
      const broker = await sendOrders(place, count, 500);
      // Fewer in a batch, so that fewer orders take as long.
      const batchSize = isThorough ? 50 : 10;
      const more = { leaseMs: 500, batchSize, faults: { writeMs: 20 } };
      const one = await startWorker(place, more, first);
      // On a slow machine the first one may have done all before this one has started.
      const other = await openWorker(place, more, first + 1);
      one.signal("SIGSTOP");
      await wait(1_000);
      one.signal("SIGCONT");
      await untilEmpty(broker.queue);
      for (const worker of [one, other]) worker.signal("SIGTERM");
      assertEquals((await Promise.all([one.ended, other.ended])).map(({ code }) => code), [0, 0]);
      const { orders, wrong, incomplete } = summaryOf(place);
      assertEquals({ orders, wrong, incomplete }, { orders: count, wrong: 0, incomplete: 0 });
      assertEquals((await broker.queue.depth()).dead, 0);
      await broker.close();
    },
  );

  brokerTest(
    "a worker that is asked to end finishes what it has begun, gives back the rest, and repeats nothing",
    async (place) => {
      // So long a lease that nothing would come back by itself.
      const leaseMs = 60_000;
      const count = isThorough ? 1_000 : 700;
      const broker = await sendOrders(place, count, leaseMs);
      const writeMs = 500;
      const asked = isThorough ? 3 : 2;
      for (let index = first; index < first + asked; index++) {
        const worker = await startWorker(place, { leaseMs, faults: { writeMs } }, index);
        await wait(50);
        const askedAt = performance.now();
        worker.signal("SIGTERM");
        const { code, complaint } = await worker.ended;
        const endedAfterMs = performance.now() - askedAt;
        assertEquals([code, complaint], [0, ""]);
        assert(endedAfterMs < job.drainMs, "before what drainMs allows");
        if (isThorough) {
          console.log(
            `${name} ended after ${endedAfterMs.toFixed(0)} ms, a write takes ${writeMs} ms`,
          );
        }
        const { inFlight, nacked, failed, dead } = worker.report!;
        assertEquals([inFlight, failed, dead], [0, 0, 0]);
        assert(nacked > 0, "some were not begun");
        const depth = await broker.queue.depth();
        if (name !== "NATS") assertEquals(depth.leased, 0);
      }
      // All the rest comes at once, and for the first time.
      const verdict = await run(place, {
        job: { ...job, leaseMs },
        runtimes: await mixedRuntimes(isThorough ? 2 : 1, first + asked),
      });
      assertEquals([verdict.problems, verdict.repeats], [[], 0]);
      const { orders, wrong } = summaryOf(place);
      assertEquals([orders, wrong], [count, 0]);
      await broker.close();
    },
  );

  brokerTest(
    "no more than maxInFlight are leased to a worker, as the broker counts",
    async (place) => {
      const count = isThorough ? 1_500 : 500;
      const broker = await sendOrders(place, count, 5_000);
      const maxInFlight = 37;
      // Slow writes, so that few orders are seen in many looks.
      const more = { leaseMs: 5_000, batchSize: 10, faults: { writeMs: isThorough ? 0 : 20 } };
      const worker = await startWorker(place, { maxInFlight, ...more }, first);
      let [most, looks] = [0, 0];
      while (true) {
        const { waiting, leased } = await broker.queue.depth();
        most = Math.max(most, leased);
        looks++;
        if (waiting + leased === 0) break;
        if (!isThorough) await wait(10);
      }
      worker.signal("SIGTERM");
      assertEquals((await worker.ended).code, 0);
      assert(looks > 10 && most <= maxInFlight, `${most} were leased, of ${looks} looks`);
      assert(most > maxInFlight / 2, `only ${most} were leased`);
      assertEquals(summaryOf(place).orders, count);
      await broker.close();
    },
  );

  brokerTest("a store that is away is waited for, and nobody is dead of it", async (place) => {
    const awayMs = isThorough ? 5_000 : 2_500;
    const count = isThorough ? 1_000 : 300;
    const broker = await sendOrders(place, count, 500);
    new OrderStore(place.store).close();
    const store = new DatabaseSync(place.store);
    store.exec("BEGIN EXCLUSIVE");
    const back = wait(awayMs).then(() => store.exec("COMMIT"));
    const verdict = await run(place, {
      runtimes: await mixedRuntimes(2, first),
      job: { ...job, leaseMs: 500 },
    });
    await back;
    store.close();
    assertEquals([verdict.problems, verdict.dead], [[], 0]);
    // A busy machine may extend a lease too late.
    if (isAlone) assertEquals(verdict.repeats, 0);
    assertEquals(summaryOf(place).orders, count);
    await broker.close();
  });

  // Of time, and so not for the gate.
  const skipTime = skip || (isAlone ? false : "only with HOSEPIPE_ALONE=1");

  brokerTest("four workers with slow writes come close to the greedy schedule", async (place) => {
    const [orders, writeMs, concurrency] = [1_000, 100, 8];
    const broker = await sendOrders(place, 0, 5_000);
    // As the command does: four that make the store at once would lock each other out.
    new OrderStore(place.store).close();
    const more = { leaseMs: 5_000, concurrency, batchSize: 1, maxInFlight: 2 * concurrency };
    const runtimes = await mixedRuntimes(4);
    const workers = runtimes.map((runtime) =>
      new WorkerProcess(runtime, {
        ...{ ...job, ...more, broker: place.broker, store: place.store },
        faults: { writeMs },
      })
    );
    const ends: WorkerEnd[] = [];
    for (const { ended } of workers) void ended.then((end) => ends.push(end));
    await until(() => {
      assertEquals(ends, []);
      return workers.every(({ report }) => report !== undefined);
    });
    await broker.queue.send(Array.from({ length: orders }, (_, order) => toMessage(order)));
    await until(() => summaryOf(place).orders >= orders);
    for (const worker of workers) worker.signal("SIGTERM");
    await Promise.all(workers.map(({ ended }) => ended));
    const { lines } = summaryOf(place);
    const begunAt = Math.min(...workers.map(({ report }) => report!.firstWriteAt!)) - writeMs;
    const endedAt = Math.max(...workers.map(({ report }) => report!.lastWriteAt!));
    const durations = new Array<number>(lines).fill(writeMs);
    const ratio = (endedAt - begunAt) / greedyMakespan(durations, 4 * concurrency);
    console.log(`${name}: ${ratio.toFixed(3)} of the greedy schedule`);
    assert(ratio <= 1.1, `${ratio}`);
    await broker.close();
  }, skipTime);
}
