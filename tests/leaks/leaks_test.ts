import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { descriptors } from "../../runtimes/descriptors.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
import type { LeakResult } from "./measure.ts";
import { isThorough } from "../lib/thorough.ts";

/** The numbers of the promise; the gate looks at a part of them. */
const counts: Readonly<Record<string, number>> = {
  pipelines: 1_000_000,
  signal: 100_000,
  aborts: 100_000,
  chunks: 10_000_000,
  fusedChunks: 1_000_000,
  cancels: 100_000,
  branches: 100_000,
  keys: 1_000_000,
};
/** What the heap of a busy process goes up and down by itself. */
const noiseBytes = 600_000;

async function measure(name: string, count: number): Promise<LeakResult> {
  const { executable, name: runtime } = thisRuntime;
  const flags = descriptors[runtime].runArguments(["--expose-gc"]);
  const script = fileURLToPath(new URL("measure.ts", import.meta.url));
  const { code, output } = await runProcess(executable, [...flags, script, name, `${count}`]);
  assertEquals(code, 0, output);
  return JSON.parse(output.trim().split("\n").at(-1)!);
}

for (const [name, full] of Object.entries(counts)) {
  // A leak of a hundred bytes a run shows in 8,000 runs; of one kind of eight, a leak of 240 bytes in 20,000.
  const count = isThorough ? full : name === "pipelines" ? 20_000 : Math.max(8_000, full / 200);
  test(`${count} ${name} leave nothing`, { timeout: 3_600_000 }, async () => {
    const { heap, listeners } = await measure(name, count);
    if (isThorough) {
      console.log(`${name} ${count}: heap ${heap.map((bytes) => (bytes / 1e6).toFixed(2))} MB`);
    }
    assertEquals(listeners, 0);
    const growth = heap.at(-1)! - heap[0]!;
    assert(growth < noiseBytes, `the heap grew by ${growth} bytes: ${heap}`);
  });
}
