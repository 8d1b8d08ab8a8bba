import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { steps } from "../../../bench/extract/contestants.ts";
import { checkHeap } from "../../../bench/extract/steps/check_heap.ts";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import type { Row } from "../../../bench/results/result.ts";
import { extractTable } from "../../../bench/extract/extract_table.ts";
import { seedContacts } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSqlite } from "../../../scenarios/extract/seed/seed_sqlite.ts";
import { inFolder, seededPeriod } from "../../scenarios/extract/_helpers.ts";
import { makeRow } from "../results/_make_row.ts";

test("every step writes the same bytes and counts the same rows", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    const messages = await seedSqlite(
      path,
      seedContacts({ contacts: 40, days: 30, seed: 1 }),
    );
    let first: string | undefined;
    for (const step of steps) {
      const outputPath = join(folder, `${step.name}.csv`);
      const run = await step.load();
      assertEquals(
        await run({ address: `sqlite:${path}`, outputPath, period: seededPeriod }),
        messages,
      );
      const text = await readFile(outputPath, "utf8");
      first ??= text;
      assert(text === first, step.name);
    }
    assert(messages > 5_000 && first!.length > 300_000);
  }));

test("a first step that fails otherwise than by its heap is an error, not a result", {
  skip: currentRuntime().name !== "node",
}, () =>
  inFolder(async (folder) => {
    const job = {
      address: `sqlite:${join(folder, "absent.sqlite")}`,
      outputPath: join(folder, "a.csv"),
      period: seededPeriod,
    };
    await assertRejects(() => checkHeap(job), Error, "Cannot try load-all");
  }));

test("the table shows the ladder in order, what died, and no more", () => {
  const row = (contestant: string, days: number, median: number, peakRssMiB: number): Row => ({
    ...makeRow({ workload: "extract", contestant, runtime: "node", params: { days } }),
    ...{ median, peakRssMiB, chunks: 1_000 },
  });
  const table = extractTable([
    row("projection", 30, 500, 110),
    row("cursor", 1, 100, 90),
    row("projection", 1, 50, 100),
    row("cursor", 30, 2_000, 99),
    {
      ...{ workload: "extract", contestant: "load-all", runtime: "node", runtimeVersion: "26.0.0" },
      ...{ params: { days: 30 }, error: "dies after 1 s", refused: true },
    },
  ]);
  const lines = table.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "|"));
  assertMatch(lines[2]!, /^node \S+\|1 d: s\|rows\/s\|MiB\|30 d: s\|rows\/s\|MiB\|times cursor\|/);
  assertEquals(lines.slice(3, 7), [
    "load-all|-|-|-|dies|-|-|-|-",
    "cursor|0.10|10000|90|2.00|500|99|1.00|1.10",
    "projection|0.05|20000|100|0.50|2000|110|4.00|1.10",
    "load-all, 30 d: dies after 1 s",
  ]);
  assertEquals(extractTable([]), "");
});
