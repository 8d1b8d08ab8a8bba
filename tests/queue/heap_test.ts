import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { inFolder } from "../lib/in_folder.ts";

const mebibyte = 2 ** 20;
const worker = fileURLToPath(new URL("_heap_worker.ts", import.meta.url));
const { name } = currentRuntime();
const args = [...descriptors[name].runArguments(["--max-old-space-size=64"]), worker];
const skip = name === "bun" && "Bun takes no limit of the heap";

/** Starts a worker, and another for each that dies; how many there were. */
async function startUntilDone(path: string, most: number): Promise<number> {
  for (let starts = 1; starts <= most; starts++) {
    const child = spawn(process.execPath, [...args, path], { stdio: "ignore" });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    if (code === 0) return starts;
  }
  return Infinity;
}

async function withBodies(
  sizes: readonly number[],
  use: (path: string, database: DatabaseSync) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "queue.sqlite");
    const database = new DatabaseSync(path);
    const queue = sqliteQueue<string>(database, { table: "t" });
    for (const size of sizes) await queue.send(["x".repeat(size)]);
    await use(path, database);
    assertEquals(await queue.depth(), {
      waiting: 0,
      leased: 0,
      dead: sizes.filter((size) => size > 25 * mebibyte).length,
    });
    database.close();
  });
}

const lengthsIn = (database: DatabaseSync) =>
  database.prepare("SELECT length FROM lengths").all().map(({ length }) => length as number);

test(
  "messages that together are larger than the heap go through one worker",
  { skip },
  () =>
    withBodies(new Array(26).fill(3 * mebibyte), async (path, database) => {
      assertEquals(await startUntilDone(path, 3), 1);
      assertEquals(lengthsIn(database), new Array(26).fill(3 * mebibyte));
    }),
);

test(
  "a message that alone takes more than the heap is dead, and the others are stored",
  { skip },
  () =>
    withBodies([10, 60 * mebibyte, 20, 30], async (path, database) => {
      // It kills two workers in company and five alone; the next one puts it away.
      assertEquals(await startUntilDone(path, 12), 8);
      assertEquals(lengthsIn(database).toSorted(), [10, 20, 30]);
    }),
);

const stepWorker = fileURLToPath(new URL("_step_worker.ts", import.meta.url));
const flags = descriptors[currentRuntime().name].runArguments();
const count = 100;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const [where, isOne] of [["one database", true], ["two databases", false]] as const) {
  test(`two steps in two processes with ${where} lose nothing when they are killed`, {
    timeout: 120_000,
  }, () =>
    inFolder(async (folder) => {
      const firstPath = join(folder, "first.sqlite");
      const secondPath = isOne ? firstPath : join(folder, "second.sqlite");
      const first = new DatabaseSync(firstPath);
      const second = isOne ? first : new DatabaseSync(secondPath);
      first.exec("PRAGMA busy_timeout = 10000; CREATE TABLE done (key TEXT PRIMARY KEY)");
      second.exec(
        "PRAGMA busy_timeout = 10000; CREATE TABLE sent (key TEXT PRIMARY KEY, value TEXT)",
      );
      const orders = sqliteQueue<string>(first, { table: "orders" });
      const invoices = sqliteQueue<string>(second, { table: "invoices" });
      await orders.send(Array.from({ length: count }, (_, index) => `${index}`));
      await invoices.open(500);

      const children = new Map<string, ChildProcess>();
      const start = (step: string) => {
        const args = [...flags, stepWorker, step, firstPath, secondPath];
        children.set(step, spawn(process.execPath, args, { stdio: "ignore" }));
      };
      const kill = (step: string) => {
        const child = children.get(step)!;
        const exited = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        return exited;
      };
      const sent = () => second.prepare("SELECT value FROM sent").all() as { value: string }[];
      const isIdle = async () => {
        const depths = [await orders.depth(), await invoices.depth()];
        return depths.every(({ waiting, leased }) => waiting + leased === 0);
      };
      for (const step of ["first", "second"]) start(step);
      let kills = 0;
      // At each so many invoices one of the steps dies, wherever it is.
      while (!await isIdle()) {
        if (kills < 6 && sent().length >= (kills + 1) * 10) {
          const step = kills++ % 2 === 0 ? "first" : "second";
          await kill(step);
          start(step);
        }
        await wait(5);
      }
      for (const step of children.keys()) await kill(step);

      const values = sent().map(({ value }) => Number(value.replace("invoice ", "")));
      const expected = Array.from({ length: count }, (_, index) => index);
      assertEquals(values.sort((a, b) => a - b), expected);
      assert(kills > 0, "no step was killed");
      assertEquals([(await orders.depth()).dead, (await invoices.depth()).dead], [0, 0]);
      first.close();
      if (!isOne) second.close();
    }));
}
