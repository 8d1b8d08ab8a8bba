import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
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

test("pipeline is what others are compared with, in its own runtime", () => {
  const text = renderTables([
    makeRow({ contestant: "pipeline", samples: [20, 20, 20] }),
    makeRow({ contestant: "hand", samples: [10, 10, 10] }),
  ], options);
  assertStringIncludes(text, "/ pipeline");
  assertStringIncludes(text, "0.50x");
});

test("one table per combination of parameters, in the order of their numbers, noop in each", () => {
  const rows = [100, 0, 10].map((passes) => makeRow({ params: { passes } }));
  const text = renderTables([...rows, makeRow({ contestant: "noop", params: {} })], verbose);
  assertEquals(text.match(/passes=\d+/g), ["passes=0", "passes=10", "passes=100"]);
  assertEquals(text.match(/^noop /gm)?.length, 3);
});

test("what a row lacks is said in words", () => {
  const line = (row: Row, ...others: Row[]) =>
    renderTables([row, ...others], options).split("\n").find((line) => line.startsWith("web"))!;
  const web = (rest: Parameters<typeof makeRow>[0]) => makeRow({ contestant: "web", ...rest });
  const best = makeRow({ samples: [9, 10, 11] });
  assert(line(web({ samples: [10, 11, 12] }), best).endsWith("1.10x  not settled"));
  assert(line(web({ samples: [60, 70] }), best).endsWith("  too few samples"));
  assert(line(web({ samples: [60, 70, 80], firstRunCounted: true }), best).endsWith("  cold"));
  const short = { samples: [0.000_5, 0.000_6, 0.000_7], timerTickMs: 0.000_1 };
  assert(line(web(short)).endsWith("  near the clock's tick"));
  assert(line(web({ ...short, iterationsPerSample: 4096 })).endsWith("1.00x"));
});

test("a failed case says failed in its cell and why below", () => {
  const { workload, runtime, runtimeVersion, params } = makeRow();
  const text = renderTables([
    makeRow(),
    { workload, runtime, runtimeVersion, params, contestant: "node", error: "timed out after 9 s" },
  ], options);
  assertStringIncludes(text, "\nnode          failed\n");
  assertStringIncludes(text, "failed: node/node: timed out after 9 s");
});

test("what a workload measures besides time gets columns of its own", () => {
  const rows = [
    makeRow({ extra: { maxInFlight: 10 } }),
    makeRow({ contestant: "web", runtime: "bun", runtimeVersion: "1.4.5" }),
  ];
  const lines = renderTables(rows, options).split("\n");
  const head = lines.findIndex((line) => line.startsWith("maxInFlight"));
  assertEquals(lines.slice(head, head + 3), [
    "maxInFlight  bun  node",
    "hand           -    10",
    "web            -     -",
  ]);
});

test("no line is longer than 80 columns, whatever failed and however it is called", () => {
  const { workload, runtime, runtimeVersion, params } = makeRow();
  const rows: Row[] = (["deno", "bun", "node"] as const).map((runtime) =>
    makeRow({ contestant: "a-contestant-of-a-rather-long-name", runtime, samples: [12_345] })
  );
  rows.push({
    ...{ workload, runtime, runtimeVersion, params, contestant: "node" },
    error: "a word after a word ".repeat(20),
  });
  const note = () => "a reservation of many words ".repeat(9);
  const text = renderTables(rows, { ...verbose, note });
  const widest = Math.max(...text.split("\n").map((line) => line.length));
  assert(widest <= 80, `${widest} columns`);
});

test("a workload's rates are shown on demand: per chunk and per second", () => {
  const rows = [makeRow({ samples: [10, 20, 30], chunks: 1000, bytes: 2 ** 20 })];
  const rates = () => ["ns per chunk", "MiB/s"] as const;
  const lines = renderTables(rows, { ...verbose, rates }).split("\n");
  const head = lines.findIndex((line) => line.startsWith("ns per chunk"));
  assertEquals(lines.slice(head, head + 4), [
    "ns per chunk   node",
    "hand          20000",
    "MiB/s  node",
    "hand   50.0",
  ]);
  assert(!renderTables(rows, { ...options, rates }).includes("MiB/s"));
});

test("a target says in words where it is met, and nothing where it cannot be told", () => {
  const bar = { dividend: { contestant: "node" }, divisor: { contestant: "web" }, atLeast: 3 };
  const bars = () => [bar];
  const rows = [
    makeRow({ contestant: "web", samples: [10] }),
    makeRow({ contestant: "node", samples: [30] }),
    makeRow({ contestant: "web", samples: [10], ...deno }),
    makeRow({ contestant: "node", samples: [29], ...deno }),
    makeRow({ contestant: "web", runtime: "bun", samples: [1] }),
  ];
  assertStringIncludes(
    renderTables(rows, { ...verbose, bars }),
    "\ntarget: node at least 3 times web; deno 2.90, missed; node 3.00, met",
  );
  assert(!renderTables([rows[0]!], { ...verbose, bars }).includes("target:"));
  assert(!renderTables(rows, { ...options, bars }).includes("target:"));
});

test("a target between two tables stands below that of its dividend", () => {
  const bars = () => [{
    dividend: { contestant: "web", params: { passes: 300 } },
    divisor: { contestant: "web", params: { passes: 0 } },
    atMost: 3,
  }];
  const rows = [
    makeRow({ contestant: "web", params: { passes: 0 }, samples: [10] }),
    makeRow({ contestant: "web", params: { passes: 300 }, samples: [31] }),
  ];
  const [short, long] = renderTables(rows, { ...verbose, bars }).split("\n\n");
  assert(!short!.includes("target:"));
  assertStringIncludes(
    long!,
    "\ntarget: web passes=300 at most 3 times web passes=0; node 3.10, missed",
  );
});
