import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals, assertRejects } from "@std/assert";
import type { ResultFile } from "../../../bench/results/result.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { writeResultFile } from "../../../bench/results/write_result_file.ts";
import { committedResults } from "../../../scripts/documents/committed_results.ts";

function resultsOf(seed: number, ...workloads: string[]): ResultFile {
  return {
    ...{ schema: 1, commit: null, dirty: false, startedAt: "2026-11-21T10:00:00.000Z" },
    ...{ elapsedMs: 1, machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" } },
    ...{ seed, profile: "default", complete: true },
    rows: workloads.map((workload) => makeRow({ workload, params: { seed } })),
  };
}

test("committedResults takes a workload's own later run for the blocks named for it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    const write = (name: string, seed: number, ...workloads: string[]) =>
      writeResultFile(join(folder, name), resultsOf(seed, ...workloads));
    const seedsFor = async (...names: string[]) => {
      const resultsFor = await committedResults(pathToFileURL(`${folder}/`));
      return names.map((name) => resultsFor(name).seed);
    };
    await assertRejects(() => seedsFor("extract"));
    await write("latest.json", 1);
    assertEquals(await seedsFor("extract", "library"), [1, 1]);
    await write("reference.json", 2, "extract", "memory_to_null", "library");
    await write("reference-extract.json", 3, "extract");
    await write("reference-extract_far.json", 5);
    await write("reference-real_work.json", 4);
    assertEquals(
      await seedsFor(
        "extract",
        "extract-far",
        "extraction",
        "workload-real-work",
        "library",
      ),
      [3, 5, 2, 4, 2],
    );
    await write("sweeps.json", 6, "memory_to_null", "file_to_file");
    assertEquals(
      await seedsFor("workload-memory-to-null", "workload-file-to-file", "library"),
      [6, 6, 2],
    );
    const { rows } = (await committedResults(pathToFileURL(`${folder}/`)))("bench-faster");
    assertEquals(
      rows.map(({ workload, params }) => `${workload} ${params.seed}`).sort(),
      ["extract 3", "file_to_file 6", "library 2", "memory_to_null 6"],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
