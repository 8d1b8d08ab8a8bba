import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { thisRuntime } from "../lib/this_runtime.ts";
import {
  type Difference,
  differences,
  exclusionKinds,
  exclusionOf,
  exclusions,
} from "./differences.ts";
import { type FileResult, runSuites } from "./run_suites.ts";
import { suites, wptFolder } from "./results.ts";

const folder = wptFolder();
if (folder === undefined && process.env.HOSEPIPE_REQUIRE_WPT === "1") {
  throw new Error("WPT_DIR is not set, and HOSEPIPE_REQUIRE_WPT says that it must be");
}
if (folder === undefined) test("WPT not run: WPT_DIR is not set", { skip: true }, () => {});

function show({ file, name, status, message }: Difference): string {
  return `${file}: ${name}: ${status}: ${message}`;
}

for (const { name: suite, standIn } of folder === undefined ? [] : suites) {
  let files: FileResult[];

  test(`${standIn}: ours does what native does in WPT ${suite}`, { timeout: 600_000 }, async () => {
    files = await runSuites({
      folder: folder!,
      suites: [suite],
      runtimes: [thisRuntime],
      ways: ["native", "ours"],
      library: new URL("../../mod.ts", import.meta.url).href,
      testTimeoutMs: 20_000,
      parallel: 2,
    });
    const passed = files.filter(({ way }) => way === "ours")
      .flatMap(({ results }) => results).filter(({ status }) => status === "pass");
    assert(passed.length > 0, "no test has run");
    const left = differences(files).filter((difference) => exclusionOf(difference) === undefined);
    assertEquals(left.map(show), []);
  });

  test(`WPT ${suite}: no exclusion hides a hang, and none is left that passes`, () => {
    const found = differences(files);
    assertEquals(found.filter(({ status }) => status === "hang").map(show), []);
    const unneeded = exclusions.filter((exclusion) =>
      exclusion.suite === suite &&
      !found.some((difference) => exclusionOf(difference) === exclusion)
    );
    assertEquals(unneeded.map(({ file, name }) => `${file}: ${name}`), []);
  });
}

test("exclusions from WPT are few, and of known kinds", () => {
  const countOf = (suite: string) => exclusions.filter((one) => one.suite === suite).length;
  assertEquals(countOf("transform-streams"), 0);
  assert(countOf("piping") <= 19, `${countOf("piping")} of piping`);
  for (const { reason } of exclusions) assert(Object.values(exclusionKinds).includes(reason));
});
