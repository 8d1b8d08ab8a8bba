import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { map, pipeline } from "../../mod.ts";
import { Consumer, messages, perMessage, stored } from "../../src/queue/mod.ts";
import { sqliteQueue } from "../../src/queue/sqlite.ts";

// A worker's process of one step of two, which ends only when it is killed.
const [step, firstPath, secondPath] = process.argv.slice(2) as [string, string, string];
const open = (path: string) => {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 10000");
  return database;
};
const options = { leaseMs: 500, maxInFlight: 10, retryDelayMs: 1 };
const batches = { batchSize: 5, maxWaitMs: 1 };

if (step === "first") {
  const database = open(firstPath);
  const orders = sqliteQueue<string>(database, { table: "orders" });
  const isOne = firstPath === secondPath;
  const invoices = sqliteQueue<string>(isOne ? database : open(secondPath), { table: "invoices" });
  const insert = database.prepare("INSERT INTO done VALUES (?) ON CONFLICT DO NOTHING");
  const consumer = new Consumer(orders, options);
  await pipeline(
    messages(consumer),
    perMessage(map((order: string) => `invoice ${order}`)),
    stored(consumer, async (outputs) => {
      if (!isOne) {
        const ids = outputs.map(({ key }) => key);
        return await invoices.send(outputs.map(({ value }) => value), { ids });
      }
      database.exec("BEGIN IMMEDIATE");
      try {
        const added = outputs.filter(({ key }) => Number(insert.run(key).changes) === 1);
        const ids = added.map(({ key }) => key);
        invoices.sendSync(added.map(({ value }) => value), { ids });
        database.exec("COMMIT");
      } catch (reason) {
        database.exec("ROLLBACK");
        throw reason;
      }
    }, batches),
  );
} else {
  const database = open(secondPath);
  const invoices = sqliteQueue<string>(database, { table: "invoices" });
  const insert = database.prepare("INSERT INTO sent VALUES (?, ?) ON CONFLICT DO NOTHING");
  const consumer = new Consumer(invoices, options);
  await pipeline(
    messages(consumer),
    perMessage<string>(),
    stored(consumer, (outputs) => {
      for (const { key, value } of outputs) insert.run(key, value);
    }, batches),
  );
}
