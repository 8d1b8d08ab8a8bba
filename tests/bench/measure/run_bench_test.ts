import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import type { Profile } from "../../../bench/measure/profile.ts";
import { Progress } from "../../../bench/measure/progress.ts";
import { isMeasured, type Row } from "../../../bench/results/result.ts";
import { runBench } from "../../../bench/measure/run_bench.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";

const current = currentRuntime();
const runtime = { ...await findRuntime(current.name), executable: process.execPath };

function run(
  remeasureMs: number | undefined,
  write: (text: string) => void,
  more: Partial<Profile> = {},
): Promise<Row[]> {
  const benchCase = {
    workload: "disturbed",
    contestant: "restless",
    runtime: current.name,
    params: { size: 10 },
    nodeFlags: [],
  };
  return runBench([benchCase], {
    runtimes: [runtime],
    seed: 1,
    progress: new Progress({ isTTY: true, columns: 80, write }, 1),
    profile: {
      name: "brief",
      sampleMs: 0,
      tiers: [{ overMs: 0, samples: 8, firstRunCounts: false }],
      timeoutMs: 120_000,
      budgetMs: 120_000,
      remeasureMs,
      ...more,
    },
    registryUrl: new URL("../fixtures/fake_workloads.ts", import.meta.url).href,
  });
}

for (const [remeasureMs, timesMeasured] of [[undefined, undefined], [120_000, 2]] as const) {
  test(`a case whose samples disagree, with ${remeasureMs ?? "no"} ms to measure it again`, async () => {
    let shown = "";
    const rows = await run(remeasureMs, (text) => shown += text);
    assertEquals(rows.map((row) => isMeasured(row) && row.timesMeasured), [timesMeasured]);
    assertEquals(shown.includes("2/2 disturbed"), timesMeasured === 2);
    assert(shown.endsWith("\r\x1b[K"));
  });
}

test("at the profile's limit the run ends, and the case that runs then is left out", async () => {
  let shown = "";
  assertEquals(await run(undefined, (text) => shown += text, { limitMs: 1 }), []);
  assert(shown.endsWith("\r\x1b[K"));
});
