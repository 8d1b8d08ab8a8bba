import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { isQuick, planTests, runsUnder } from "../../../scripts/test/plan_tests.ts";
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
    "tests/stages/batch_test.ts",
    "tests/bench/all_test.ts",
    "tests/package/import_test.ts",
    "tests/probe_server/page_chromium_test.ts",
    "tests/scripts/serve_test.ts",
    "tests/scripts/consume/crash_test.ts",
    "tests/runtimes/run_process_test.ts",
  ];
  for (const file of others) assertEquals(under(file), [...runtimeNames]);
});

const root = new URL("../../../", import.meta.url);

test("files, folders, parts of a path and patterns name tests; what names none is missing", async () => {
  const batches = "tests/stages/batch_test.ts";
  const cases: [path: string, holds: string][] = [
    [batches, batches],
    ["tests/stages", batches],
    ["tests/stages/", batches],
    ["stages", batches],
    ["stages/batch", batches],
    ["batc*", batches],
  ];
  for (const [path, holds] of cases) {
    const { tests, examples } = await planTests(root, { paths: [path] });
    assertEquals([tests.includes(holds), examples], [true, []], path);
  }
  assertEquals((await planTests(root, { paths: ["tests/stages/batch_test.ts"] })).tests, [batches]);
  assertEquals((await planTests(root, { paths: ["src/stages/batch.ts"] })).examples, [
    "src/stages/batch.ts",
  ]);
  for (const path of ["tests/nowhere", "tests/stages/no_test.ts", "src/no.ts"]) {
    assertEquals((await planTests(root, { paths: [path] })).missing, path);
  }
});

test("the quick part and the rest are all there is, and share no file", async () => {
  const [all, quick, rest] = await Promise.all(
    ([undefined, "quick", "rest"] as const).map((size) => planTests(root, { paths: [], size })),
  );
  assertEquals([...quick!.tests, ...rest!.tests].sort(), all!.tests.toSorted());
  assertEquals(quick!.tests.every(isQuick), true);
  assertEquals([quick!.leftOut > 0, rest!.leftOut > 0, rest!.examples], [true, true, []]);
});
