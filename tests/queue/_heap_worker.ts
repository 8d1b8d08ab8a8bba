import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { map, pipeline } from "../../mod.ts";
import { Consumer, messages, perMessage, stored } from "../../src/queue/mod.ts";
import { sqliteQueue } from "../../src/queue/sqlite.ts";

/** The length of a text; what there is to be made of a very large one has no room. */
function measure(text: string): number {
  let parts: unknown[] = [];
  while (text.length > 2 ** 25) parts = [parts];
  return text.length + parts.length;
}

// A worker's process: stores how long each message is, until none is left.
const database = new DatabaseSync(process.argv[2]!);
database.exec("CREATE TABLE IF NOT EXISTS lengths (key TEXT PRIMARY KEY, length INTEGER)");
const insert = database.prepare("INSERT INTO lengths VALUES (?, ?) ON CONFLICT DO NOTHING");
const queue = sqliteQueue<string>(database, { table: "t" });
const consumer = new Consumer(queue, { leaseMs: 300, retryDelayMs: 1 });
const stopIfDone = async () => {
  const { waiting, leased } = await queue.depth();
  if (waiting + leased === 0) consumer.stop();
};
const timer = setInterval(() => void stopIfDone(), 20);
await pipeline(
  messages(consumer),
  perMessage(map(measure)),
  stored(consumer, (outputs) => {
    for (const { key, value } of outputs) insert.run(key, value);
  }),
);
clearInterval(timer);
database.close();
