import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import process from "node:process";
import { steps } from "../../bench/extract/workload.ts";
import type { ContestantEntry, Workload } from "../../bench/measure/workload.ts";
import type { Outcome, Params } from "../../bench/results/result.ts";
import { serveFile } from "../../bench/serve_file/workload.ts";
import { workloads } from "../../bench/workloads.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { seedContacts } from "../../scenarios/extract/seed/seed_contacts.ts";
import { seedSqlite } from "../../scenarios/extract/seed/seed_sqlite.ts";
import { inFolder } from "../lib/in_folder.ts";
import { seededPeriod } from "../scenarios/extract/_helpers.ts";

/** The contestants that do a case in this process: a flag they need is given only by the driver. */
function entriesHere<Entry extends ContestantEntry>(
  entries: readonly Entry[],
  params: Params,
): Entry[] {
  const { name } = currentRuntime();
  return entries.filter(({ runtimes, nodeFlags = [], takes }) =>
    (runtimes?.includes(name) ?? true) && (takes?.(params) ?? true) &&
    nodeFlags.every((flag) => process.execArgv.includes(flag))
  );
}

/** Runs a case twice, as a measured one is run many times; gives the outcome of the second. */
async function runCase(
  workload: Workload,
  contestant: string,
  params: Params,
  input?: string,
): Promise<Outcome> {
  const prepared = await workload.prepare({ contestant, params, input });
  try {
    await prepared.run();
    await prepared.verify();
    await prepared.reset?.();
    await prepared.run();
    return await prepared.verify();
  } finally {
    await prepared.dispose?.();
  }
}

const ten = { chunkKiB: 2, amount: "10chunks" };

/** Small cases of each workload, and what everybody makes of them; `undefined`: the same as each other. */
const cases: readonly (readonly [workload: string, params: Params, digest?: string])[] = [
  ...[0, 1, 13].map((stages) =>
    ["native_ends", { stages, chunks: 100 }, "100 chunks, sum 4950"] as const
  ),
  ...[0, 1, 7].map((stages) => ["async_stages", { stages, chunks: 100 }] as const),
  ...["merge", "zip", "share"].map((kind) => ["joins", { kind, chunks: 50 }] as const),
  ...["batch", "flat-map", "format-ndjson", "parse-ndjson"].map((job) =>
    ["one_stage", { job, chunks: 3_000 }] as const
  ),
  ...["file", "gzip", "http"].map((from) => ["real_work", { from, events: 120 }] as const),
  ...["read-csv", "read-quoted-csv", "write-csv", "read-events", "read-form"].map((job) =>
    ["formats", { job, records: 50 }] as const
  ),
  ...[1, 64, 129].flatMap((fileKiB) => [
    ["files", { job: "count", fileKiB }] as const,
    ["files", { job: "copy", fileKiB }, `a copy of ${fileKiB * 1024} bytes`] as const,
  ]),
  ...["file", "gzip", "response", "body", "bytes"].map((job) =>
    ["defaults", { job, rows: 500 }] as const
  ),
  ["short_streams", { streams: 2, stages: 5, chunks: 3 }, "6 chunks, sum 6"],
  ["small_runs", { chunks: 5, runs: 3 }, "9 chunks, sum 54"],
  ["http_body", { chunks: 20, requests: 9, stages: 6 }],
  ["ordered", { count: 300, concurrency: 10, window: 30 }, "300 in order"],
  ["copy_lines", { passes: 2 }],
  ["consume", { broker: "sqlite", count: 700 }, "700 messages, sum 244650"],
  ["passthrough", { stages: 0, ...ten }],
  ["passthrough", { stages: 32, ...ten }],
];

for (const [name, params, digest] of cases) {
  test(`${name} ${Object.values(params).join(" ")}: everybody makes the same of it, twice`, () =>
    inFolder(async (folder) => {
      const workload = await workloads[name]!();
      const input = workload.takesInput ? join(folder, "input") : undefined;
      if (input !== undefined) await writeFile(input, "# no\n0\t1\t2\n\nonly\n0\té");
      const digests = new Map<string, string>();
      for (const { name } of entriesHere(workload.contestants, params)) {
        const unrun = await workload.prepare({ contestant: name, params, input });
        await assertRejects(async () => await unrun.verify(), Error, "", `${name} has not run`);
        await unrun.dispose?.();
        digests.set(name, (await runCase(workload, name, params, input)).digest);
      }
      const expected = digest ?? [...digests.values()][0]!;
      assertEquals([...digests], [...digests].map(([name]) => [name, expected]));
    }));
}

for (const [name, load] of Object.entries(workloads)) {
  test(`${name} goes by its name, and has contestants and lines about everything`, async () => {
    const workload = await load();
    assertEquals(workload.name, name);
    const names = workload.contestants.map((entry) => entry.name);
    assertEquals(new Set(names).size, names.length);
    assert(names.length > 0);
    const texts = [workload, ...workload.contestants, ...Object.values(workload.params)]
      .map(({ about }) => about);
    for (const about of texts) assert(about.length > 0 && !about.includes("\n"), about);
    for (const { dividend, divisor, atMost, atLeast } of workload.bars ?? []) {
      assert(names.includes(dividend.contestant) && names.includes(divisor.contestant));
      assert((atMost === undefined) !== (atLeast === undefined));
    }
  });

  test(`${name} takes on the command line what its profiles use, and refuses the rest`, async () => {
    for (const spec of Object.values((await load()).params)) {
      for (const value of [...spec.values, ...spec.quick ?? [], ...spec.full ?? []]) {
        assertEquals(spec.parse(String(value)), value);
      }
      assertThrows(() => spec.parse("no such value"), RangeError, '"no such value"');
      assertThrows(() => spec.parse(""), RangeError);
    }
  });
}

const { name: runtimeName } = currentRuntime();
// What runs the test is what is found; the load runs under Node in any case.
process.env[`HOSEPIPE_${runtimeName.toUpperCase()}`] = process.execPath;

const served = { size: 3 * 2 ** 20 + 5, connections: 2, seconds: 0.1 };

for (const { name } of entriesHere(serveFile.contestants, served)) {
  test(`${name} sends the file, and what it cost is told`, async () => {
    process.env.HOSEPIPE_NODE = (await findRuntime("node")).executable;
    const prepared = await serveFile.prepare({ contestant: name, params: served });
    try {
      let outcome;
      do {
        await prepared.run();
        outcome = await prepared.verify();
        // In so little time a busy machine may answer none in full.
      } while (outcome.chunks === 0);
      const { chunks, bytes, digest, extra = {} } = outcome;
      assert(chunks > 0 && bytes >= chunks * served.size, `${chunks} answers, ${bytes} bytes`);
      assertEquals(digest.length, 64);
      assertEquals(extra.errors, 0);
      for (
        const key of ["requestsPerSecond", "MiBPerSecond", "idleRssMiB", "peakRssMiB", "cpuMs"]
      ) {
        assert(Number(extra[key]) > 0, `${key} is ${extra[key]}`);
      }
      assertEquals(Number(extra.filesBefore) <= 0, true);
      // Of Node's own way files stay open behind clients that left.
      if (name !== "create-read-stream") assertEquals(Number(extra.filesAfter) <= 0, true);
      assert(String(extra.rssMiB).split(" ").length >= 2);
    } finally {
      await prepared.dispose?.();
    }
  });
}

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
