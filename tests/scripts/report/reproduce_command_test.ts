import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { ResultFile, Row } from "../../../bench/results/result.ts";
import { reproduceCommand } from "../../../scripts/report/reproduce_command.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { reportResults } from "../fixtures/report_results.ts";

const result = (rows: Row[], profile = "default"): ResultFile => ({
  ...reportResults,
  rows,
  profile,
});

test("one workload: its runtimes, values, profile and seed", () => {
  const rows = [
    makeRow({ params: { passes: 100, kind: "bytes" } }),
    makeRow({ params: { passes: 9, kind: "strings" }, runtime: "deno" }),
    makeRow({ contestant: "noop", params: {} }),
    makeRow({ workload: "other", runtime: "bun", params: { size: 1 } }),
  ];
  assertEquals(
    reproduceCommand(result(rows, "quick"), "copy"),
    "deno task bench --workload copy --runtime deno,node --quick --param kind=bytes,strings " +
      "--param passes=9,100 --seed 42",
  );
});

test("several workloads: each with the values of the profile", () => {
  const rows = (["deno", "bun", "node"] as const).flatMap((runtime) => [
    makeRow({ runtime }),
    makeRow({ runtime, workload: "other" }),
  ]);
  assertEquals(
    reproduceCommand(result(rows), "copy", "other"),
    "deno task bench --workload copy,other --seed 42",
  );
});
