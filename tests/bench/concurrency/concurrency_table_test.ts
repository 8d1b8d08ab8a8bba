import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { concurrencyTable } from "../../../bench/concurrency/concurrency_table.ts";
import { makeRow } from "../results/_make_row.ts";

const extra = {
  makespan: 4400,
  bound: 4300,
  ratio: 1.023,
  ratioToKept: 1.002,
  meanInFlight: 9.83,
  maxInFlight: 10,
  speedup: 15,
  articleSeconds: 72,
};
const shared = { workload: "concurrency", params: { run: "6.3", speedup: "own" }, extra };

test("each run is named once, with its APIs and runtimes below one another", () => {
  const text = concurrencyTable([
    makeRow({ ...shared, contestant: "node" }),
    makeRow({ ...shared, contestant: "web" }),
    makeRow({ ...shared, contestant: "web", runtime: "deno", runtimeVersion: "2.9.6" }),
    makeRow({ ...shared, contestant: "web", params: { run: "5.3", speedup: "own" } }),
    makeRow({ ...shared, contestant: "noop", params: {} }),
  ]);
  assertEquals(text.split("\n").slice(0, 6), [
    "concurrency  high-water marks 10: deno 2.9.6, node 26.0.0",
    "run    messages  article    streams    here   bound  ratio   kept  mean  max",
    "5.3  1000 by 10     95 s   web/node  66.0 s  64.5 s  1.023  1.002   9.8   10",
    "6.3  1000 by 10     72 s   web/deno  66.0 s  64.5 s  1.023  1.002   9.8   10",
    "                           web/node  66.0 s  64.5 s  1.023  1.002   9.8   10",
    "                          node/node  66.0 s  64.5 s  1.023  1.002   9.8   10",
  ]);
  assert(!text.includes("noop"));
});

test("a failed case says so, and why below", () => {
  const text = concurrencyTable([{
    ...{ workload: "concurrency", contestant: "web", runtime: "bun", runtimeVersion: "1.4.5" },
    ...{ params: { run: "5.3", speedup: "own" }, error: "timed out after 9 s" },
  }]);
  assertStringIncludes(text, "web/bun  failed");
  assertStringIncludes(text, "failed: 5.3 web/bun: timed out after 9 s");
});

test("it fits in 80 columns", () => {
  const text = concurrencyTable([
    makeRow({ ...shared, params: { run: "5.4", speedup: 1 }, contestant: "node", runtime: "deno" }),
    makeRow({ ...shared, extra: { ...extra, makespan: 9990, maxInFlight: 100 } }),
  ]);
  const widest = Math.max(...text.split("\n").map((line) => line.length));
  assert(widest <= 80, `${widest} columns`);
});

test("without rows there is no table", () => {
  assertEquals(concurrencyTable([makeRow({ contestant: "noop", params: {} })]), "");
});
