import { access, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { readClaims } from "../../scripts/bench.ts";
import { inFolder } from "../lib/in_folder.ts";
import { type ScriptEnd, type StartedScript, startScript } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
import { until } from "../lib/until.ts";
import process from "node:process";

/** The runtime under test, in which driver and cases run. */
const runtimeName = thisRuntime.name;

/** Starts the driver on the fake workloads, in and for the current runtime alone. */
function startFakeBench(
  args: readonly string[],
  environment: Record<string, string> = {},
): StartedScript {
  const hasRuntime = args.some((argument) => argument.startsWith("--runtime"));
  const own = hasRuntime ? [] : ["--runtime", runtimeName];
  return startScript("tests/scripts/fixtures/fake_bench.ts", [...args, ...own], environment);
}

/** Runs the driver on the fake workloads to its end. */
function runFakeBench(...args: string[]): Promise<ScriptEnd> {
  return startFakeBench(args).ended;
}

async function readResult(path: string): Promise<ResultFile> {
  return JSON.parse(await readFile(path, "utf8"));
}

test("the tour finds what README claims, to say where this machine contradicts it", async () => {
  const [{ web, node }, chain] = readClaims(await readFile("README.md", "utf8"));
  assert(web! > 1 && node! > 0 && chain.web! > 10, `${web} ${node} ${chain.web}`);
});

test("a sound workload gives a row per case, a table and exit code 0", () =>
  inFolder(async (folder) => {
    const json = join(folder, "result.json");
    const input = join(folder, "input.txt");
    await writeFile(input, "");
    const { code, stdout, stderr } = await runFakeBench(
      ...["--workload", "sound", "--json", json, "--seed", "5", "--input", input],
    );
    assertEquals([code, stderr], [0, ""], "no progress where no one watches");
    assertStringIncludes(stdout, "5 cases, profile brief, seed 5: ");
    assertStringIncludes(stdout, "5 of 5 cases measured");
    assertStringIncludes(stdout, "steady: steadier than real");
    // deno-lint-ignore no-control-regex
    assert(!/\x1b/.test(stdout), "no colour when piped");
    assertEquals(stdout.match(/^sound {2}size=\d+$/gm), ["sound  size=10", "sound  size=20"]);

    const result = await readResult(json);
    assertEquals(
      [result.schema, result.seed, result.profile, result.complete],
      [1, 5, "brief", true],
    );
    assertEquals(result.commit === null, result.dirty === null);
    assert(result.machine.cores > 0 && result.machine.memoryGiB > 0);
    assertEquals(new Date(result.startedAt).toISOString(), result.startedAt);
    const cases = result.rows.map(({ contestant, params }) => `${contestant} ${params.size}`);
    assertEquals(
      cases.sort(),
      ["hand 10", "hand 20", "noop undefined", "steady 10", "steady 20"],
    );
    for (const row of result.rows) {
      if (!isMeasured(row)) throw new Error(row.error);
      assertEquals([row.workload, row.runtime, row.unit], ["sound", runtimeName, "ms"]);
      assertMatch(row.runtimeVersion, /^\d+\.\d+\.\d+/);
      assert(row.samples.length >= 4);
      assert(row.p25 <= row.median && row.median <= row.p75);
    }
    assertEquals(await readdir(folder), ["input.txt", "result.json"], "no temporary file stays");
  }));

test("--compare says what changed, and exits 3 if a case got slower beyond the threshold", () =>
  inFolder(async (folder) => {
    const json = join(folder, "result.json");
    const args = ["--workload=sound", "--quick", "--json", json];
    assertEquals((await runFakeBench(...args)).code, 0);
    const old = await readResult(json);
    // Without the control: a busy machine would move it.
    const rows = old.rows.filter(({ contestant }) => contestant === "steady").map((row) =>
      isMeasured(row)
        ? { ...row, samples: row.samples.map((ms) => ms / 100), median: row.median / 100 }
        : row
    );
    await writeFile(json, JSON.stringify({ ...old, rows }));
    // The new results replace the very file they are compared with.
    const { code, stdout } = await runFakeBench(...args, "--compare", json);
    assertEquals(code, 3);
    assertMatch(stdout, /^size=10 steady\/\w+ .* slower beyond the threshold$/m);
    assertStringIncludes(stdout, "1 slower beyond the threshold of 10 %, 0 unclear");
    const patient = await runFakeBench(...args, "--compare", json, "--threshold", "10000");
    assertEquals(patient.code, 0);
    assertStringIncludes(patient.stdout, "0 slower beyond the threshold of 10000 %");
  }));

test("a case that crashes, dies, is killed or hangs is a row saying so, and the run exits 1", () =>
  inFolder(async (folder) => {
    const json = join(folder, "result.json");
    const { code, stdout } = await runFakeBench(
      ...["--workload=broken", "--full", "--param=size=10", "--json", json],
    );
    assertEquals(code, 1);
    const { rows, complete } = await readResult(json);
    assertEquals(complete, true);
    const errors = Object.fromEntries(
      rows.map((row) => [row.contestant, isMeasured(row) ? "measured" : row.error]),
    );
    assertEquals(errors, {
      noop: "measured",
      hand: "measured",
      crashes: "crashed: exit 1: Error: the disk is full",
      dies: "crashed: exit 7: no message",
      leaves: "crashed: exit 0: gave no answer",
      killed: process.platform === "win32"
        ? "crashed: exit 1: no message"
        : "crashed: SIGKILL: no message",
      hangs: "timed out after 4 s",
      fickle: "crashed: exit 1: Error: the output changed between iterations: " +
        "sum of 10, check 1 became sum of 10, check 2",
    });
    assertStringIncludes(stdout, `failed: hangs/${runtimeName}: timed out after 4 s`);
    assertStringIncludes(stdout, "2 of 8 cases measured");
  }));

test("Ctrl-C kills the case, keeps the rows so far, prints their table and exits 130", {
  skip: process.platform === "win32",
}, () =>
  inFolder(async (folder) => {
    const json = join(folder, "result.json");
    const report = join(folder, "litter-report");
    // This seed puts the case that never ends last.
    const { child, ended } = startFakeBench(
      ["--workload=littering", "--quick", "--seed=3", "--json", json],
      { FAKE_LITTER_REPORT: report },
    );
    let litter = "";
    await until(async () => {
      assertEquals(child.exitCode, null, "the driver still runs");
      litter = await readFile(report, "utf8").catch(() => "");
      return litter !== "";
    });
    // Not child.kill: under Deno that reports the signal even if the child handled it.
    process.kill(child.pid!, "SIGINT");
    const { code, stdout } = await ended;
    assertEquals(code, 130);
    const partial = join(folder, "result.partial.json");
    const { rows, complete } = await readResult(partial);
    assertEquals([complete, rows.map(({ contestant }) => contestant).sort()], [
      false,
      ["hand", "noop"],
    ]);
    assertMatch(stdout, /^hand +\d/m);
    assertStringIncludes(stdout, "2 of 3 cases measured");
    assertStringIncludes(stdout, `, then interrupted\nrows in ${partial}`);
    const taken = await access(json).then(() => "taken", () => "free");
    assertEquals(taken, "free", "half a run takes nobody's place");
    const kept = await access(litter).then(() => "kept", () => "cleared");
    assertEquals(kept, "cleared", "the killed case's temporary folder");
  }));

test("--publish keeps each run as soon as it is done, and starts where it was broken off", () =>
  inFolder(async (folder) => {
    const json = join(folder, "published.json");
    const publish = () => runFakeBench("--publish", "--runs=2", "--json", json);
    const first = await publish();
    assertEquals([first.code, first.stderr], [0, ""]);
    assertStringIncludes(first.stdout, "3 cases, profile publish, 2 runs: ");
    assertEquals((await readdir(join(folder, "published-runs"))).sort(), [
      "run-1.json",
      "run-2.json",
    ]);
    const { schema, runs } = JSON.parse(await readFile(json, "utf8"));
    assertEquals(
      [schema, runs.map(({ seed, complete, rows }: ResultFile) => [seed, complete, rows.length])],
      [2, [[1, true, 3], [2, true, 3]]],
    );
    await rm(join(folder, "published-runs", "run-2.json"));
    const second = await publish();
    assertEquals(second.code, 0);
    assertMatch(second.stdout, /^run 1 of 2: there already, 3 of 3 cases measured/m);
    assertMatch(second.stdout, /^run 2 of 2: \d+ s, 3 of 3 cases measured/m);
    const again = JSON.parse(await readFile(json, "utf8"));
    assertEquals(again.runs[0], runs[0]);
  }));

test("outputs that differ fail the run, and the pair is named", async () => {
  const { code, stderr } = await runFakeBench("--workload", "wrong", "--quick");
  assertEquals(code, 1);
  assertMatch(stderr, /^wrong size=10: outputs differ: .* vs .*\n$/);
  assertStringIncludes(stderr, `tampered/${runtimeName} (another sum of 10)`);
});
