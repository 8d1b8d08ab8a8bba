import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { makeRow } from "../bench/results/_make_row.ts";

const current = currentRuntime().name;
process.env[`HOSEPIPE_${current.toUpperCase()}`] = process.execPath;
const runtime = await findRuntime(current);
const entry = fileURLToPath(new URL("../../scripts/compare.ts", import.meta.url));

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      runtime.executable,
      [...runtime.arguments, entry, ...args],
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-compare-test-"));
  try {
    for (const [name, ms] of [["old", 10], ["new", 12]] as const) {
      const head = { schema: 1, machine: { cpu: "", cores: 1, memoryGiB: 1, os: "" } };
      const rows = [makeRow({ contestant: "web", samples: [ms, ms, ms] })];
      await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...head, rows }));
    }
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("slower beyond the threshold exits 3, within it 0, and so does faster", () =>
  inFolder(async (folder) => {
    const [old, fresh] = [join(folder, "old.json"), join(folder, "new.json")];
    const slower = await run(old, fresh);
    assertEquals([slower.code, slower.stderr], [3, ""]);
    assertMatch(slower.stdout, / 1\.20x {2}1\.20\.\.1\.20 {2}slower beyond the threshold$/m);
    const allowed = await run(old, fresh, "--threshold=20");
    assertEquals(allowed.code, 0);
    assertMatch(allowed.stdout, / slower$/m);
    const faster = await run(fresh, old);
    assertEquals(faster.code, 0);
    assertMatch(faster.stdout, / faster$/m);
  }));

test("files without a case in common exit 2, a control that has moved withholds and exits 4", () =>
  inFolder(async (folder) => {
    const head = { schema: 1, machine: { cpu: "", cores: 1, memoryGiB: 1, os: "" } };
    const write = async (name: string, rows: unknown[]) => {
      const path = join(folder, name);
      await writeFile(path, JSON.stringify({ ...head, rows }));
      return path;
    };
    const other = await write("other.json", [makeRow({ workload: "another" })]);
    const apart = await run(join(folder, "old.json"), other);
    assertEquals([apart.code, apart.stderr], [2, "The files have no case in common\n"]);
    const row = (contestant: string, ms: number) => makeRow({ contestant, samples: [ms, ms, ms] });
    const calm = await write("calm.json", [row("hand", 10), row("web", 20)]);
    const busy = await write("busy.json", [row("hand", 13), row("web", 30)]);
    const moved = await run(calm, busy);
    assertEquals(moved.code, 4);
    assertStringIncludes(moved.stdout, "the machine changed: verdict withheld");
    assertMatch(moved.stdout, / verdict withheld$/m);
  }));

test("what a result file says is printed without control characters, and a malformed row is one sentence", () =>
  inFolder(async (folder) => {
    const path = join(folder, "odd.json");
    const head = { schema: 1, machine: { cpu: "\u001b[2J", cores: 1, memoryGiB: 1, os: "" } };
    const odd = makeRow({ contestant: "we\u001b[31mb\u0007", samples: [1, 1, 1] });
    await writeFile(path, JSON.stringify({ ...head, rows: [odd] }));
    const { stdout, stderr } = await run(path, path);
    assertEquals(/[^\P{Cc}\n]/u.test(stdout + stderr), false);
    assertStringIncludes(stdout, "we\\u001b[31mb\\u0007");
    for (const row of [null, 5, {}, { ...odd, samples: "x" }, { ...odd, params: null }]) {
      await writeFile(path, JSON.stringify({ ...head, rows: [odd, row] }));
      assertEquals(await run(path, path), {
        code: 1,
        stdout: "",
        stderr: `Cannot read results ${path}: row 2 is malformed\n`,
      });
    }
  }));
