import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { extract } from "../../../bench/extract/workload.ts";
import { extractFar } from "../../../bench/extract_far/workload.ts";
import { describeCase } from "../../../bench/results/describe_case.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { ladderCases } from "../../../scripts/extract/ladder_cases.ts";

const workloads = { near: extract, far: extractFar };

test("both ladders are measured: whole at 10 ms in every runtime, in Node at every distance", () => {
  const cases = ladderCases({ ...workloads, runtimes: runtimeNames });
  const names = cases.map(describeCase);
  assertEquals(new Set(names).size, names.length);
  for (const { name, runtimes = runtimeNames } of extractFar.contestants) {
    for (const runtime of runtimes) {
      const days = (database: string, delayMs: number) =>
        cases.filter((one) =>
          one.workload === "extract_far" && one.contestant === name && one.runtime === runtime &&
          one.params.database === database && one.params.delayMs === delayMs
        ).map(({ params }) => params.days);
      for (const database of ["postgres", "ferretdb"]) {
        assertEquals(days(database, 10), [1, 30], `${name} ${runtime}`);
        if (runtime === "node") {
          assertEquals([...days(database, 0), ...days(database, 2)], [30, 30]);
        }
      }
      assertEquals(days("sqlite", 0), [30]);
    }
  }
  const near = cases.filter(({ workload }) => workload === "extract");
  for (const { name, runtimes = runtimeNames } of extract.contestants) {
    assertEquals(
      near.filter(({ contestant }) => contestant === name).length,
      2 * runtimes.length,
      name,
    );
  }
});

test("some steps in some runtimes are a part of it, with the controls", () => {
  const all = ladderCases({ ...workloads, runtimes: runtimeNames }).map(describeCase);
  const some = ladderCases({
    ...workloads,
    runtimes: ["bun"],
    contestants: ["cursor", "batch-16"],
  });
  assert(some.every((one) => all.includes(describeCase(one))));
  assertEquals(
    [...new Set(some.map(({ contestant, runtime }) => `${contestant}/${runtime}`))].sort(),
    ["batch-16/bun", "cursor/bun", "load-all/bun", "noop/bun"],
  );
});
