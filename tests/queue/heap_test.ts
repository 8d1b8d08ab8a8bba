import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
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
