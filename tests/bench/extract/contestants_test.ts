import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { steps } from "../../../bench/extract/workload.ts";
import { checkHeap } from "../../../bench/extract/steps/check_heap.ts";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { seedContacts } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSqlite } from "../../../scenarios/extract/seed/seed_sqlite.ts";
import { inFolder, seededPeriod } from "../../scenarios/extract/_helpers.ts";

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
