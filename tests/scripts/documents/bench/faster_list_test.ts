import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Workload } from "../../../../bench/measure/workload.ts";
import { fasterList, listLosses } from "../../../../scripts/documents/bench/faster_list.ts";
import { makeRow } from "../../../bench/results/_make_row.ts";
import { reportResults } from "../../fixtures/report_results.ts";

const workload: Workload = {
  name: "copy_lines",
  about: "",
  params: {},
  contestants: [{
    name: "effect",
    about: "",
    whyFaster: { kind: "simpler", why: "it passes on arrays" },
  }],
  prepare: () => Promise.reject(new Error("not here")),
};

const runOf = (medians: Readonly<Record<string, readonly [ours: number, other: number]>>) => ({
  ...reportResults,
  rows: Object.entries(medians).flatMap(([runtime, [ours, other]]) =>
    [["pipeline", ours], ["effect", other]].map(([contestant, median]) =>
      makeRow({
        ...{ workload: "copy_lines", contestant: contestant as string, params: { passes: 1 } },
        ...{ runtime: runtime as "node", samples: [median, median, median] as number[] },
      })
    )
  ),
});

test("what is lost for one reason in several runtimes is said once, with the worst of them", () => {
  const run = runOf({ node: [20, 10], bun: [30, 10], deno: [10, 20] });
  const found = listLosses(run, [run], [workload]);
  assertEquals(found, [{
    ...{
      workload: "copy_lines",
      reason: "It passes on arrays.",
      kind: "simpler",
      peers: ["effect"],
      ratio: 3,
    },
    places: ["node in 1 of 1 cases", "bun in 1 of 1 cases"],
  }]);
  assertEquals(
    fasterList(run, [run], [workload]).replaceAll(/\s+/g, " "),
    "- **copy_lines**, node in 1 of 1 cases, bun in 1 of 1 cases: effect, by up to 3.00 times. " +
      "It passes on arrays.",
  );
});

test("where nothing is lost it says so", () => {
  const run = runOf({ node: [10, 20] });
  assertEquals(fasterList(run, [run], [workload]), "Nowhere in these rows.");
});
