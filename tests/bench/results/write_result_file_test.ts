import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { readResultFile } from "../../../bench/results/read_result_file.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { writeResultFile } from "../../../bench/results/write_result_file.ts";
import { makeRow } from "./_make_row.ts";
import { inFolder } from "../../lib/in_folder.ts";

const result: ResultFile = {
  schema: 1,
  commit: null,
  dirty: null,
  startedAt: "2026-11-21T10:00:00.000Z",
  elapsedMs: 1,
  machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" },
  seed: 4,
  profile: "quick",
  complete: true,
  rows: [makeRow(), makeRow({ contestant: "web" })],
};

test("what is written is read, a row a line, over an older file and in a new folder", () =>
  inFolder(async (folder) => {
    const path = join(folder, "results", "latest.json");
    for (const rows of [result.rows, []]) {
      await writeResultFile(path, { ...result, rows });
      assertEquals(await readResultFile(path), { ...result, rows });
      const lines = (await readFile(path, "utf8")).split("\n");
      assertEquals(lines.filter((line) => line.includes('"contestant"')).length, rows.length);
    }
    assertEquals(await readdir(join(folder, "results")), ["latest.json"]);
  }));

test("what was measured is written with six digits, what was counted whole", () =>
  inFolder(async (folder) => {
    const path = join(folder, "latest.json");
    const rows = [makeRow({ samples: [1 / 3, 12.000001], bytes: 1_234_567_891 })];
    await writeResultFile(path, { ...result, rows });
    const [row] = (await readResultFile(path)).rows;
    assertEquals(row, {
      ...rows[0],
      samples: [0.333333, 12],
      p25: 3.25,
      median: 6.16667,
      p75: 9.08333,
    });
  }));

test("a write that fails leaves what was there, and nothing else", () =>
  inFolder(async (folder) => {
    const path = join(folder, "taken");
    await mkdir(path);
    await writeFile(join(path, "kept"), "");
    await assertRejects(() => writeResultFile(path, result));
    assertEquals(await readdir(folder), ["taken"]);
    assertEquals(await readdir(path), ["kept"]);
  }));
