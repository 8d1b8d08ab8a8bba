import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { runsUnder } from "../../../scripts/test/plan_tests.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";

test("tests of commands, compilers and browsers run under Deno alone, all others under every runtime", () => {
  const under = (file: string) => runtimeNames.filter((name) => runsUnder(file, name));
  const denos = [
    "tests/scripts/demo_test.ts",
    "tests/playground/page_test.ts",
    "tests/types/editor_test.ts",
    "tests/package/workerd_test.ts",
    "tests/workers/chromium_test.ts",
  ];
  for (const file of denos) assertEquals(under(file), ["deno"]);
  const others = [
    "tests/stages/map_test.ts",
    "tests/bench/all_test.ts",
    "tests/package/import_test.ts",
    "tests/probe_server/page_chromium_test.ts",
    "tests/scripts/serve_test.ts",
    "tests/scripts/consume/crash_test.ts",
    "tests/runtimes/run_process_test.ts",
  ];
  for (const file of others) assertEquals(under(file), [...runtimeNames]);
});
