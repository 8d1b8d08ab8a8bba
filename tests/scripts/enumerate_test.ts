import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { referenceFile } from "../enumeration/reference.ts";
import { startScript } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";

const script = "scripts/enumerate.ts";

test("a line of JSON says what was tried", {
  skip: referenceFile() === undefined && "REFERENCE_STREAMS is not set",
  timeout: 120_000,
}, async () => {
  const args = ["--runtime", thisRuntime.name, "--way", "fuse", "--stages", "1"];
  const { code, stdout, stderr } = await startScript(script, [
    ...args,
    ...["--deviations", "1", "--json"],
  ]).ended;
  assertEquals(code, 0, stderr);
  const { runtime, tallies: [tally] } = JSON.parse(stdout);
  assertEquals([runtime, tally.way, tally.isWhole], [thisRuntime.name, "fuse", true]);
  assert(tally.schedules > 1000);
});

test("Ctrl-C prints what there is and exits 130", {
  skip: referenceFile() === undefined && "REFERENCE_STREAMS is not set",
  timeout: 120_000,
}, async () => {
  const args = ["--runtime", thisRuntime.name, "--way", "fuse", "--stages", "1"];
  const { child, ended } = startScript(script, args);
  // The first word of it on the way is a sign that it runs.
  await new Promise((resolve) => child.stderr!.once("data", resolve));
  // Not child.kill: under Deno that reports the signal even if the child handled it.
  process.kill(child.pid!, "SIGINT");
  const { code, stdout } = await ended;
  assertEquals(code, 130);
  assertStringIncludes(stdout, "schedules (not all)");
});
