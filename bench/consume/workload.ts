import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueueSource } from "../../src/queue/mod.ts";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants } from "./contestants.ts";
import type { RunConsumeJob, StoredMessage } from "./job.ts";
import { openKafka } from "./open_kafka.ts";
import { openNats } from "./open_nats.ts";
import { openSqlite } from "./open_sqlite.ts";
import { openSqs } from "./open_sqs.ts";

const brokers = { sqlite: openSqlite, nats: openNats, sqs: openSqs, kafka: openKafka };
const batchSize = 256;
/** As docs/consume.md says: twice the writes at a time, of which the pipeline makes two, times the batch. */
const maxInFlight = 4 * batchSize;
const bytes = 1_024;

/** A message of 1 KiB, of which a number is stored. */
function toBody(index: number): string {
  return `${index} `.padEnd(bytes, "x");
}

/** A table in memory: a store that costs little, so that the rest shows. */
function openStore() {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE rows (key TEXT PRIMARY KEY, value INTEGER NOT NULL)");
  const insert = database.prepare("INSERT INTO rows VALUES (?, ?) ON CONFLICT (key) DO NOTHING");
  return {
    save(messages: readonly StoredMessage[]): void {
      database.exec("BEGIN");
      for (const { key, value } of messages) insert.run(key, value);
      database.exec("COMMIT");
    },
    /** How many there are, and their sum. */
    read(): { count: number; sum: number } {
      const [row] = database.prepare("SELECT count(*) AS count, sum(value) AS sum FROM rows").all();
      return row as unknown as { count: number; sum: number };
    },
    clear: () => database.exec("DELETE FROM rows"),
    close: () => database.close(),
  };
}

/** Fails if a run has left anything. */
async function untilEmpty(queue: QueueSource<string>): Promise<void> {
  let depth = await queue.depth();
  // A broker takes what it was sent last a little later.
  for (let look = 0; look < 100 && depth.waiting + depth.leased > 0; look++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    depth = await queue.depth();
  }
  const { waiting, leased, dead } = depth;
  assert(waiting + leased + dead === 0, `${waiting + leased} are left, ${dead} dead`);
}

async function prepare(run: RunConsumeJob, { params }: CaseRequest): Promise<PreparedCase> {
  const count = Number(params.count);
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-bench-consume-"));
  const store = openStore();
  const work = (body: string) => Number.parseInt(body);
  const loop = { count, batchSize, maxInFlight, work, save: store.save };
  const dispose = async () => {
    store.close();
    await rm(folder, { recursive: true, force: true });
  };
  const open = brokers[params.broker as keyof typeof brokers];
  const broker = await Promise.resolve(open(folder, loop)).catch(async (error) => {
    await dispose();
    throw error;
  });
  const { queue, byHand, byMessage } = broker;
  const send = async () => {
    for (let from = 0; from < count; from += 1_000) {
      const size = Math.min(1_000, count - from);
      await queue.send(Array.from({ length: size }, (_, index) => toBody(from + index)));
    }
  };
  await send();
  return {
    run: () => run({ ...loop, queue, byHand, byMessage }),
    async reset() {
      await untilEmpty(queue);
      store.clear();
      await send();
    },
    async verify() {
      await untilEmpty(queue);
      const { count, sum } = store.read();
      return { chunks: count, bytes: count * bytes, digest: `${count} messages, sum ${sum}` };
    },
    async dispose() {
      await broker.close();
      await dispose();
    },
  };
}

/** Messages of 1 KiB from a queue to a store, against a loop by pass on the same client. */
export const consume: Workload = defineWorkload({
  name: "consume",
  about: "messages of 1 KiB from a queue to a table in memory, each acknowledged",
  params: {
    broker: choiceParam("broker", {
      about:
        "where the queue is: sqlite, nats (a server of its own), sqs (fauxqs, in a thread) or " +
        "kafka (the server of KAFKA_BROKERS)",
      choices: Object.keys(brokers),
      values: ["sqlite", "nats", "sqs"],
    }),
    count: integerParam("count", {
      about: "how many messages",
      values: [20_000],
      quick: [5_000],
    }),
  },
  contestants,
  rates: ["ns per chunk"],
  // At least 0.85 of the loop's throughput.
  bars: [bar("pipeline", "hand", { atMost: 1.176 })],
  prepare,
});
