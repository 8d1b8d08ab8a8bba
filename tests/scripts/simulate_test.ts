import process from "node:process";
import { test } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startScript } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";

const script = "scripts/simulate.ts";
const runtime = ["--runtime", thisRuntime.name];

test("help names the flags and two examples", async () => {
  const { code, stdout } = await startScript(script, ["--help"]).ended;
  assertEquals(code, 0);
  for (const flag of ["--runs", "--seed", "--runtime", "--history"]) {
    assertStringIncludes(stdout, flag);
  }
  assertEquals(stdout.match(/^ {2}deno task dev simulate/gm)?.length, 2);
});

test("wrong flags exit 2 and say why", async () => {
  const none = await startScript(script, ["--runs", "0"]).ended;
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, "--runs must be");
  const unknown = await startScript(script, ["--sead", "1"]).ended;
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.stderr, "--seed");
});

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
