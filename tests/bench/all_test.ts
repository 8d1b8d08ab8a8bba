import { execFile } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runtimeName } from "../scripts/fixtures/run_fake_bench.ts";

const entry = fileURLToPath(new URL("fixtures/fake_all.ts", import.meta.url));

async function runAll(...args: string[]) {
  const runtime = await findRuntime(runtimeName);
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      runtime.executable,
      [...runtime.arguments, entry, ...args],
      { env: process.env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode!, stdout, stderr }),
    );
  });
}

let run: ReturnType<typeof runAll> | undefined;
/** Both at once: mitata measures the floor, and itself, anew in each process. */
const ran = () => run ??= runAll("--workload", "sound,flagged", "--quick");

test("everything chosen runs in this process, and mitata prints it", async () => {
  const { code, stdout } = await ran();
  assertEquals(code, 0);
  assertStringIncludes(stdout, `runtime: ${runtimeName} `);
  assertStringIncludes(stdout, "• sound size=10");
  assertMatch(stdout, /^noop .*\/iter/m);
  assertMatch(stdout, /^hand .*\/iter/m);
  assertMatch(stdout, /^steady .*\/iter/m);
  assertStringIncludes(stdout, "summary");
  // deno-lint-ignore no-control-regex
  assert(!/\x1b/.test(stdout), "no colour when piped");
});

test("outputs that differ are an error before anything is timed", async () => {
  const { code, stdout, stderr } = await runAll("--workload=wrong", "--quick");
  assertEquals([code, stdout], [1, ""]);
  assertEquals(
    stderr,
    "wrong size=10: outputs differ: tampered (another sum of 10) vs hand (sum of 10)\n",
  );
});
