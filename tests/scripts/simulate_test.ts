import process from "node:process";
import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { startScript } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";

const script = "scripts/simulate.ts";
const runtime = ["--runtime", thisRuntime.name];

test("a seed prints its history when asked", { timeout: 120_000 }, async () => {
  const args = ["--runs", "1", "--seed", "7", "--history", ...runtime];
  const { code, stdout, stderr } = await startScript(script, args).ended;
  assertEquals(code, 0, stderr);
  assertMatch(stdout, /^seed 7\n.* ms {2}outside +sent m0/);
  assertMatch(stdout, /\n1 seeds, \d+ messages, \d+ kills, \d+ events\n$/);
});

test("Ctrl-C says how far it was and exits 130", { timeout: 120_000 }, async () => {
  const { child, ended } = startScript(script, ["--runs", "1000000", ...runtime]);
  // The first word of it on the way is a sign that it runs.
  await new Promise((resolve) => child.stderr!.once("data", resolve));
  // Not child.kill: under Deno that reports the signal even if the child handled it.
  process.kill(child.pid!, "SIGINT");
  const { code, stdout } = await ended;
  assertEquals(code, 130);
  assertMatch(stdout, /^[\d,]+ seeds, [\d,]+ messages/);
});
