import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { renderTables } from "../../../bench/tables/render_tables.ts";
import type { Row } from "../../../bench/results/result.ts";
import { makeRow } from "../results/_make_row.ts";

const options = {
  order: () => ["hand", "generators", "web", "node"],
  note: (_workload: string, contestant: string) =>
    contestant === "web" ? "the standard's own" : undefined,
};
const verbose = { ...options, verbose: true };
const deno = { runtime: "deno", runtimeVersion: "2.9.6" } as const;

test("each runtime has its contestants with medians, quartiles, samples and ratios of its own", () => {
  const rows: Row[] = [
    makeRow({ contestant: "web", samples: [30, 40, 50] }),
    makeRow({ contestant: "web", ...deno, samples: [60, 60, 60] }),
    makeRow({ contestant: "hand", samples: [1, 10, 12] }),
    makeRow({ contestant: "noop", params: {}, samples: [1e-4, 1e-4], iterationsPerSample: 4096 }),
  ];
  assertEquals(
    renderTables(rows, options),
    [
      "copy  passes=0",
      "deno 2.9.6   median     quartiles  n  / web",
      "web         60.0 ms  60.0-60.0 ms  3  1.00x",
      "node 26.0.0   median     quartiles  n  / hand",
      "hand         10.0 ms  5.50-11.0 ms  3   1.00x",
      "web          40.0 ms  35.0-45.0 ms  3   4.00x",
      "",
      "web: the standard's own",
    ].join("\n"),
  );
  assertStringIncludes(renderTables(rows, verbose), "\nnoop  ");
});
