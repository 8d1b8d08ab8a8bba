import { assertEquals, assertStringIncludes } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";

const script = fileURLToPath(new URL("../../scripts/test.ts", import.meta.url));
const hook = new URL("../../node_compat/register.mjs", import.meta.url).href;
const { name } = currentRuntime();
const before = { deno: ["run", "-A", "--no-check"], bun: ["run"], node: ["--import", hook] }[name];

function runRunner(...args: string[]): Promise<ProcessResult> {
  return runProcess(process.execPath, [...before, script, ...args], {
    env: { [`HOSEPIPE_${name.toUpperCase()}`]: process.execPath, NODE_TEST_CONTEXT: undefined },
  });
}

test("the test runner refuses bad flags and paths with one line and exit code 2", async () => {
  const cases = [["--runtim"], ["--runtime", "nodejs"], ["tests/missing_test.ts"]];
  for (const args of cases) {
    const { code, output } = await runRunner(...args);
    assertEquals([args, code, output.trim().split("\n").length], [args, 2, 1]);
  }
});

test("the test runner ends with the sum of what passed and failed", async () => {
  const { code, output } = await runRunner(
    "tests/scripts/test/parse_junit_test.ts",
    "--runtime",
    name,
  );
  assertEquals(output.trim().split("\n").at(-1), "4 passed, 0 failed");
  assertStringIncludes(output, `${name}: 4 passed, 0 failed`);
  assertEquals(code, 0);
});

test("the test runner counts a runtime that ran no test as a failure", async () => {
  const args = ["tests/scripts/test/parse_junit_test.ts", "--filter", "no such test"];
  const { code, output } = await runRunner(...args, "--runtime", name);
  assertEquals(output.trim().split("\n").at(-1), "0 passed, 1 failed");
  assertStringIncludes(output, `${name} › ran no test`);
  assertEquals(code, 1);
});
