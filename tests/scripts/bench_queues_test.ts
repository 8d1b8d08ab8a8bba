import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { StoredRow } from "../../bench/queues/contestant.ts";
import { gatherSaves } from "../../bench/queues/gather_saves.ts";
import { describeRows } from "../../scripts/bench_queues/describe_rows.ts";
import type { QueueRow } from "../../scripts/bench_queues/queue_row.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";
import { isThorough } from "../lib/thorough.ts";
import { skipPostgres } from "../queue/adapters/_postgres.ts";
import { skipRedis } from "../queue/adapters/_redis.ts";

const script = "scripts/bench_queues.ts";

for (
  const [server, skip, workers] of [
    // Each of its rows has a server of its own, which takes long to make.
    ["postgres", skipPostgres, isThorough ? [1, 2] : [2]],
    ["redis", skipRedis, [1, 2]],
  ] as const
) {
  test(
    `${server}: ours and the loop by hand store all, and each is measured`,
    { skip },
    () =>
      inFolder(async (folder) => {
        const file = join(folder, "rows.jsonl");
        const { code, stdout, stderr } = await startScript(script, [
          ...["--contestant", `hosepipe-${server},hand-${server}`, "--workers", `${workers}`],
          ...["--messages", "600", "--timed", "20", "--samples", "1", "--json", file],
        ]).ended;
        assertEquals([code, stderr], [0, ""]);
        const rows = (await readFile(file, "utf8")).trim().split("\n")
          .map((line) => JSON.parse(line) as QueueRow);
        assertEquals(
          rows.map(({ contestant, workers }) => [contestant, workers]),
          workers.flatMap((count) => [[`hosepipe-${server}`, count], [`hand-${server}`, count]]),
        );
        for (const { messages, perSecond, cpuMicroseconds, medianMs, p99Ms } of rows) {
          assertEquals(messages, 600);
          assert(perSecond > 0 && cpuMicroseconds > 0 && medianMs >= 0 && p99Ms >= medianMs);
        }
        assertStringIncludes(stdout, `| hosepipe-${server}, 2`);
      }),
  );
}

test("saves are gathered: two at a time, each with what has come meanwhile", async () => {
  const batches: string[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const save = gatherSaves((rows) => {
    batches.push(rows.map(({ key }) => key));
    gates.push(Promise.withResolvers());
    return gates.at(-1)!.promise;
  });
  const row = (key: string): StoredRow => ({ key, sentAt: 0 });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  const saved = [save(row("a")), save(row("b"))];
  while (batches.length < 1) await turn();
  saved.push(save(row("c")));
  while (batches.length < 2) await turn();
  saved.push(save(row("d")));
  const failed = save(row("e"));
  await turn();
  assertEquals(batches, [["a", "b"], ["c"]]);
  gates[0]!.resolve();
  await Promise.all(saved.slice(0, 2));
  while (batches.length < 3) await turn();
  assertEquals(batches[2], ["d", "e"]);
  const reason = new Error("no");
  gates[2]!.reject(reason);
  const error = await assertRejects(() => failed);
  assert(error === reason);
  await assertRejects(() => saved[3]!);
  gates[1]!.resolve();
  await saved[2];
});

test("the table has the median of each contestant's samples", () => {
  const row = {
    ...{ contestant: "a", runtime: "node", workers: 1, messages: 1, batchSize: 1 },
    ...{ perSecond: 1_000, cpuMicroseconds: 10.4, medianMs: 3, p99Ms: 9 },
  };
  const table = describeRows([
    row,
    { ...row, perSecond: 3_000, p99Ms: 5 },
    { ...row, perSecond: 2_000.4, p99Ms: 7 },
    { ...row, workers: 4 },
  ]);
  const cells = table.split("\n").slice(2).map((line) => line.split(/ *\| */).slice(1, -1));
  assertEquals(cells, [["a, 1", "2,000", "10", "3", "7"], ["a, 4", "1,000", "10", "3", "9"]]);
});
