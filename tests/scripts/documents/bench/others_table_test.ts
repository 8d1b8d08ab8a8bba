import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { contestants } from "../../../../bench/others/contestants.ts";
import { judges, othersRows } from "../../../../bench/others/rows.ts";
import { othersTable } from "../../../../scripts/documents/bench/others_table.ts";
import { makeRow } from "../../../bench/results/_make_row.ts";
import { reportResults } from "../../fixtures/report_results.ts";

function runOf(row: string, medians: Readonly<Record<string, number>>) {
  const rows = Object.entries(medians).map(([contestant, median]) =>
    makeRow({
      ...{ workload: "others", contestant, params: { row }, runtime: "node" },
      samples: [median, median, median],
    })
  );
  return { ...reportResults, seed: 1, rows };
}

const lineOf = (text: string, title: string) =>
  text.split("\n").find((line) => line.startsWith(`| ${title} `))?.split("|").slice(1, -1)
    .map((cell) => cell.trim());

test("each judge has a heading, its address and its rows", () => {
  const text = othersTable([runOf("vercel-pipe-to", { web: 1, pipeline: 1 })]);
  for (const { name, source } of Object.values(judges)) {
    assertStringIncludes(text, `## ${name}\n\n<${source}>`);
  }
  for (const { title } of Object.values(othersRows)) assertStringIncludes(text, `| ${title} `);
});

test("native streams and ours are both at their better marks", () => {
  const medians = { "web": 40, "web-16": 20, "pipeline": 20, "pipeline-16": 10 };
  const line = lineOf(othersTable([runOf("vercel-pipe-to", medians)]), "pipeTo");
  assertEquals(line?.slice(2), ["–", "–", "2.0", "–"]);
});

test("of the others in Node the fastest is named; one that reads an array stands beside ours that does", () => {
  const medians = { "pipeline": 10, "pipeline-own-ends": 2, "node": 9, "new-streams": 3 };
  const line = lineOf(othersTable([runOf("new-identity", medians)]), "identity");
  assertEquals(line?.at(-1), "node 0.90");
});

test("who cannot do a row is not asked to", () => {
  const takers = (row: string) =>
    contestants.filter(({ takes }) => takes?.({ row }) ?? true).map(({ name }) => name);
  assertEquals(takers("vercel-tee-in-turn"), ["web", "fast-webstreams"]);
  assertEquals(takers("new-async").includes("stream_iter"), false);
});
