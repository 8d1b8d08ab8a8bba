import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import process from "node:process";
import { assertEquals, assertMatch } from "@std/assert";
import { openBroker } from "../../scenarios/consume/broker.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";
import { skipPostgres } from "../queue/adapters/_postgres.ts";
import { skipRedis } from "../queue/adapters/_redis.ts";

const run = (...args: readonly string[]) =>
  startScript("scenarios/consume/queue_command.ts", args).ended;
const { signal } = new AbortController();

for (
  const [kind, skip, addressIn] of [
    ["SQLite", false, (folder: string) => `sqlite:${join(folder, "queue.sqlite")}`],
    ["PostgreSQL", skipPostgres, () => process.env.POSTGRES_URI!],
    ["Redis", skipRedis, () => process.env.REDIS_URI!],
  ] as const
) {
  test(
    `deno task queue shows, lists, replays and purges in ${kind}`,
    { skip },
    () =>
      inFolder(async (folder) => {
        const address = addressIn(folder);
        const name = `queue_${crypto.randomUUID().slice(0, 8)}`;
        const { queue, close } = await openBroker(address, { leaseMs: 60_000, name });
        const place = ["--broker", address, "--name", name];
        try {
          await queue.send(["a\nb", "c", "d", "e"]);
          const deliveries = await queue.receive(3, { waitMs: 0, signal });
          for (const one of deliveries) await queue.deadLetter(one, new Error(`no ${one.body}`));
          const ids = deliveries.map(({ id }) => id);

          const inspected = await run("inspect", ...place);
          assertEquals([inspected.code, inspected.stderr], [0, ""]);
          assertMatch(inspected.stdout, /^waiting: 1\nleased: 0\ndead: 3\noldestAgeMs: \d+\n$/);

          const listed = await run("list", ...place, "--limit", "2");
          assertEquals([listed.code, listed.stdout.trim().split("\n").length], [0, 2]);
          assertMatch(
            listed.stdout,
            new RegExp(`^${ids[0]}  20.*Z  1 deliveries  Error: no a\\\\nb  "a\\\\nb"$`, "m"),
          );
          const json = await run("list", ...place, "--json", "--after", ids[0]!);
          const letters = json.stdout.trim().split("\n").map((line) => JSON.parse(line));
          assertEquals(letters.map(({ id, body }) => [id, body]), [[ids[1], "c"], [ids[2], "d"]]);

          assertEquals((await run("replay", ids[1]!, ...place)).stdout, "1 dead letter put back\n");
          assertEquals(
            (await run("purge", ids[0]!, "x", ...place)).stdout,
            "1 dead letter deleted\n",
          );
          assertEquals(
            (await run("replay", "--all", "--json", ...place)).stdout,
            `${JSON.stringify({ replay: 1 })}\n`,
          );
          assertEquals(await queue.depth(), { waiting: 3, leased: 0, dead: 0 });
          assertEquals((await run("purge", "--all", ...place)).stdout, "0 dead letters deleted\n");
          const again = await queue.receive(5, { waitMs: 0, signal });
          await queue.ack(again.map(({ receipt }) => receipt));
        } finally {
          await close();
        }
      }),
  );
}

test("a queue in a file that is not there exits 1, and makes none", () =>
  inFolder(async (folder) => {
    const path = join(folder, "none.sqlite");
    const { code, stderr } = await run("list", "--broker", `sqlite:${path}`);
    assertEquals([code, stderr], [1, `Cannot open --broker sqlite:${path}: no such file\n`]);
    // It would be there.
    const database = new DatabaseSync(path);
    assertEquals(database.prepare("SELECT * FROM sqlite_schema").all(), []);
    database.close();
  }));
