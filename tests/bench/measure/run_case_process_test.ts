import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { BenchCase } from "../../../bench/measure/bench_case.ts";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { isMeasured, type MeasuredRow, type Row } from "../../../bench/results/result.ts";
import {
  type CaseProcessOptions,
  runCaseProcess,
} from "../../../bench/measure/run_case_process.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";

const current = currentRuntime();
process.env[`HOSEPIPE_${current.name.toUpperCase()}`] = process.execPath;
const runtime = await findRuntime(current.name);

const steady: BenchCase = {
  workload: "sound",
  contestant: "steady",
  runtime: current.name,
  params: { size: 3 },
  nodeFlags: [],
};

const options: CaseProcessOptions = {
  profile: {
    name: "brief",
    sampleMs: 0,
    tiers: [{ overMs: 0, samples: 2, firstRunCounts: false }],
    timeoutMs: 120_000,
    budgetMs: 120_000,
  },
  allowanceMs: 1000,
  registryUrl: new URL("../fixtures/fake_workloads.ts", import.meta.url).href,
};

function measured(row: Row | undefined): MeasuredRow {
  if (row === undefined || !isMeasured(row)) throw new Error(`not measured: ${errorOf(row)}`);
  return row;
}

function errorOf(row: Row | undefined): string | undefined {
  return row !== undefined && !isMeasured(row) ? row.error : undefined;
}

test("a case gives the row its process measured", async () => {
  const row = measured(await runCaseProcess(steady, runtime, options));
  assertEquals(
    [row.workload, row.contestant, row.runtime, row.runtimeVersion, row.params],
    ["sound", "steady", current.name, current.version, { size: 3 }],
  );
  assertEquals([row.digest, row.extra, row.samples.length], ["sum of 3", { maxInFlight: 7 }, 2]);
});

test("a process that is not the runtime asked for refuses to measure", async () => {
  const other = current.name === "bun" ? "node" : "bun";
  // Only the name is a lie: the executable is that of the current runtime.
  const impostor = { ...runtime, name: other } as const;
  const row = await runCaseProcess({ ...steady, runtime: other }, impostor, options);
  assertEquals(
    errorOf(row),
    `crashed: exit 1: Error: asked for ${other}, but this is ${current.name} ${current.version}`,
  );
});
