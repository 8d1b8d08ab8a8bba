import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { tourLegend, tourSentences } from "../../../scripts/bench/tour_sentences.ts";
import { makeRow } from "../../bench/results/_make_row.ts";

const rowsOf = (samples: Readonly<Record<string, readonly number[]>>) =>
  Object.entries(samples).map(([contestant, list]) =>
    makeRow({
      ...{ workload: "real_work", contestant, runtime: "node", params: { from: "file" } },
      samples: [...list],
    })
  );

const calm = { hand: [9, 10, 11], pipeline: [10, 10, 10], node: [20, 21, 22] };
const text = (rows: ReturnType<typeof rowsOf>) => tourSentences(rows, []).replaceAll(/\s+/g, " ");

test("what settled is said with its times and ratios", () => {
  assertStringIncludes(
    text(rowsOf(calm)),
    "node, lines of JSON from a file to a file: pipeline took 10.0 ms, node:stream 21.0 ms (2.10 times as long).",
  );
});

test("what did not settle is named, and no ratio is made of it", () => {
  const rows = rowsOf({ ...calm, web: [5, 10, 30], node: [20, 21] });
  assertEquals(
    text(rows).split(" Where others")[0],
    "node, lines of JSON from a file to a file: left out, not settled: Web Streams, node:stream.",
  );
});

test("where the loop by hand was disturbed nothing is said but that", () => {
  const rows = rowsOf({ ...calm, hand: [5, 10, 10, 40, 90] });
  assertEquals(
    text(rows).split(" Where others")[0],
    "node, lines of JSON from a file to a file: left out, since the machine was busy: the loop by " +
      "hand took 10.0 ms to 40.0 ms.",
  );
});

test("the legend explains each mark that the tables have, and no other", () => {
  const legend = tourLegend(rowsOf(calm));
  assertStringIncludes(legend, "quartiles: the middle half of the runs");
  assertEquals(legend.includes("too few samples"), false);
  assertStringIncludes(tourLegend(rowsOf({ pipeline: [1, 2] })), "too few samples: ");
  for (const line of legend.split("\n")) assertEquals(line.length <= 80, true, line);
});
