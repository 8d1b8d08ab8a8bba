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

test("a table has contestants down, runtimes across, medians and ratios of medians", () => {
  const rows: Row[] = [
    makeRow({ contestant: "web", samples: [30, 40, 50] }),
    makeRow({ contestant: "web", runtime: "deno", runtimeVersion: "2.9.6", samples: [60, 60, 60] }),
    makeRow({ contestant: "hand", samples: [1, 10, 12] }),
    makeRow({
      contestant: "noop",
      params: {},
      samples: [1e-4, 1e-4, 1e-4],
      iterationsPerSample: 4096,
    }),
  ];
  assertEquals(
    renderTables(rows, options),
    [
      "copy  passes=0",
      "            deno 2.9.6       node 26.0.0",
      "noop                 -   100 ns",
      "hand                 -  10.0 ms 1.00x",
      "web   60.0 ms 6.00x     40.0 ms 4.00x",
      "web: the standard's own",
    ].join("\n"),
  );
});

test("one table per combination of parameters, in the order of their numbers, noop in each", () => {
  const rows = [100, 0, 10].map((passes) => makeRow({ params: { passes } }));
  const text = renderTables([...rows, makeRow({ contestant: "noop", params: {} })], options);
  assertEquals(text.match(/passes=\d+/g), ["passes=0", "passes=10", "passes=100"]);
  assertEquals(text.match(/^noop /gm)?.length, 3);
});

test("a tie with the best is marked, and the mark explained", () => {
  const rows = [
    makeRow({ samples: [9, 10, 11] }),
    makeRow({ contestant: "web", samples: [10, 11, 12] }),
  ];
  const text = renderTables(rows, options);
  assertStringIncludes(text, "1.10x ~");
  assertStringIncludes(text, "~ quartiles overlap with the best");
  assertEquals(text.match(/x ~/g)?.length, 1, "the best does not overlap with itself");
});

test("a sample within ten ticks of the clock is marked; a mean of many iterations is not", () => {
  const short = { samples: [0.000_5, 0.000_6], timerTickMs: 0.000_1 };
  assertStringIncludes(renderTables([makeRow(short)], options), "! a sample is within 10 ticks");
  const averaged = renderTables([makeRow({ ...short, iterationsPerSample: 4096 })], options);
  assert(!averaged.includes("!"));
});

test("slow cases whose first run counts, and those of fewer than 3 samples, say so", () => {
  const rows = [
    makeRow({ samples: [8, 9, 10], firstRunCounted: true }),
    makeRow({ contestant: "web", samples: [60, 70], firstRunCounted: true }),
  ];
  const text = renderTables(rows, options);
  assertStringIncludes(text, "1.00x +\n");
  assertStringIncludes(text, "7.22x +?\n");
  assertEquals(text.match(/^[+?] .*$/gm)?.length, 2);
});

test("a failed case says failed in its cell and why below", () => {
  const { workload, runtime, runtimeVersion, params } = makeRow();
  const text = renderTables([
    makeRow(),
    { workload, runtime, runtimeVersion, params, contestant: "node", error: "timed out after 9 s" },
  ], options);
  assertStringIncludes(text, "\nnode            failed\n");
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
    "maxInFlight  bun 1.4.5  node 26.0.0",
    "hand                 -           10",
    "web                  -            -",
  ]);
});

test("three runtimes fit in 80 columns", () => {
  const rows = (["deno", "bun", "node"] as const).map((runtime) =>
    makeRow({ contestant: "readable-stream", runtime, samples: [12_345] })
  );
  const widest = Math.max(...renderTables(rows, options).split("\n").map((line) => line.length));
  assert(widest <= 80, `${widest} columns`);
});

test("a workload's rates get columns of their own: per chunk and per second", () => {
  const rows = [
    makeRow({ samples: [10, 20, 30], chunks: 1000, bytes: 2 ** 20 }),
    makeRow({ contestant: "noop", params: {}, chunks: 0, bytes: 0 }),
  ];
  const text = renderTables(rows, { ...options, rates: () => ["ns per chunk", "MiB/s"] });
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith("ns per chunk"));
  assertEquals(lines.slice(head, head + 7), [
    "ns per chunk  node 26.0.0",
    "noop                    -",
    "hand                20000",
    "",
    "MiB/s  node 26.0.0",
    "noop             -",
    "hand          50.0",
  ]);
  assert(!renderTables(rows, options).includes("MiB/s"));
});

test("a bar says where it is reached, and nothing where it cannot be told", () => {
  const bar = { dividend: { contestant: "node" }, divisor: { contestant: "web" }, atLeast: 3 };
  const bars = () => [bar];
  const deno = { runtime: "deno", runtimeVersion: "2.9.6" } as const;
  const rows = [
    makeRow({ contestant: "web", samples: [10] }),
    makeRow({ contestant: "node", samples: [30] }),
    makeRow({ contestant: "web", samples: [10], ...deno }),
    makeRow({ contestant: "node", samples: [29], ...deno }),
    makeRow({ contestant: "web", runtime: "bun", samples: [1] }),
  ];
  assertStringIncludes(
    renderTables(rows, { ...options, bars }),
    "\nbar: node / web at least 3: deno 2.90 NO, node 3.00 yes",
  );
  assert(!renderTables([rows[0]!], { ...options, bars }).includes("bar:"));
});

test("a bar between two tables stands below that of its dividend", () => {
  const bars = () => [{
    dividend: { contestant: "web", params: { passes: 300 } },
    divisor: { contestant: "web", params: { passes: 0 } },
    atMost: 3,
  }];
  const rows = [
    makeRow({ contestant: "web", params: { passes: 0 }, samples: [10] }),
    makeRow({ contestant: "web", params: { passes: 300 }, samples: [31] }),
  ];
  const [short, long] = renderTables(rows, { ...options, bars }).split("\n\n");
  assert(!short!.includes("bar:"));
  assertStringIncludes(long!, "\nbar: web passes=300 / web passes=0 at most 3: node 3.10 NO");
});
