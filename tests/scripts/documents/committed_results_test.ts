import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals, assertRejects } from "@std/assert";
import type { ResultFile } from "../../../bench/results/result.ts";
import { writeResultFile } from "../../../bench/results/write_result_file.ts";
import { committedResults } from "../../../scripts/documents/committed_results.ts";

function resultsOf(seed: number): ResultFile {
  return {
    ...{ schema: 1, commit: null, dirty: false, startedAt: "2026-11-21T10:00:00.000Z" },
    ...{ elapsedMs: 1, machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" } },
    ...{ seed, profile: "default", complete: true, rows: [] },
  };
}

test("committedResults takes a workload's own later run for the blocks and images named for it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    const write = (name: string, seed: number) =>
      writeResultFile(join(folder, name), resultsOf(seed));
    const seedsFor = async (...names: string[]) => {
      const resultsFor = await committedResults(pathToFileURL(`${folder}/`));
      return names.map((name) => resultsFor(name).seed);
    };
    await assertRejects(() => seedsFor("extract"));
    await write("latest.json", 1);
    assertEquals(await seedsFor("extract", "library"), [1, 1]);
    await write("reference.json", 2);
    await write("reference-extract.json", 3);
    await write("reference-extract_far.json", 5);
    await write("reference-real_work.json", 4);
    assertEquals(
      await seedsFor(
        "extract",
        "extract-ladder.svg",
        "extract-far",
        "extraction",
        "workload-real-work",
        "library",
      ),
      [3, 3, 5, 2, 4, 2],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
