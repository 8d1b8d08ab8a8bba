import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { digestDisagreements } from "../../../bench/results/digest_disagreements.ts";
import { makeRow } from "./_make_row.ts";

test("equal outputs are no disagreement, whatever the order of the parameters", () => {
  const rows = [
    makeRow({ params: { passes: 0, size: 1 } }),
    makeRow({ params: { size: 1, passes: 0 }, contestant: "web" }),
    makeRow({ params: { passes: 1, size: 1 }, digest: "d2" }),
    makeRow({ workload: "other", digest: "d3" }),
  ];
  assertEquals(digestDisagreements(rows), []);
});

test("who differs from the most is named, with one of the most", () => {
  const rows = [
    makeRow({ contestant: "tampered", runtime: "bun", digest: "d9" }),
    makeRow({ contestant: "web", runtime: "deno" }),
    makeRow({ contestant: "hand" }),
  ];
  assertEquals(digestDisagreements(rows), [
    "copy passes=0: outputs differ: tampered/bun (d9) vs web/deno (d1)",
  ]);
});

test("failed rows and noop have no output to compare", () => {
  const { workload, runtime, runtimeVersion, params } = makeRow();
  const rows = [
    makeRow(),
    makeRow({ contestant: "noop", digest: "" }),
    { workload, runtime, runtimeVersion, params, contestant: "web", error: "timed out" },
  ];
  assertEquals(digestDisagreements(rows), []);
});
