import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { runsUnder } from "../../../scripts/test/plan_tests.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";

test("tests of commands run under Deno alone, all others under every runtime", () => {
  const under = (file: string) => runtimeNames.filter((name) => runsUnder(file, name));
  for (const file of ["tests/scripts/demo_test.ts", "tests/playground/page_test.ts"]) {
    assertEquals(under(file), ["deno"]);
  }
  const others = [
    "tests/stages/map_test.ts",
    "tests/bench/all_test.ts",
    "tests/scripts/serve_test.ts",
    "tests/scripts/consume/crash_test.ts",
    "tests/runtimes/run_process_test.ts",
  ];
  for (const file of others) assertEquals(under(file), [...runtimeNames]);
});
