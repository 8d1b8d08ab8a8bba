import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { generators } from "../../../scripts/documents/generators.ts";
import { semanticsTable } from "../../../scripts/documents/semantics_table.ts";
import { readExpected } from "../../../scripts/semantics/expected_table.ts";
import { semanticsProbes } from "../../../scenarios/semantics/probes.ts";

const pages = ["semantics", "semantics-buffers"];

test("the pages have a block for every question, and a generator for each", async () => {
  const texts = pages.map((name) =>
    readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8")
  );
  const text = (await Promise.all(texts)).join("\n");
  const blocks = [...text.matchAll(/^<!-- generated:(\S+) -->$/gm)].map(([, name]) => name)
    .filter((name) => name !== "contents");
  const wanted = [
    "semantics-default-marks",
    "semantics-summary",
    ...semanticsProbes.map(({ name }) => `semantics-${name}`),
  ];
  assertEquals(blocks.toSorted(), wanted.toSorted());
  assertEquals(wanted.filter((name) => !Object.hasOwn(generators, name)), []);
});

test("a table holds what the committed tables say, and whether the runtimes agree", () => {
  const probe = semanticsProbes.find(({ name }) => name === "no-writer")!;
  const text = semanticsTable(probe);
  for (const runtime of ["deno", "bun", "node"] as const) {
    const { version, facts } = readExpected(runtime);
    assertStringIncludes(text, `${runtime} ${version}`);
    const row = new RegExp(`^\\| 5 node +\\| +${facts["no-writer"]!["5 node"]!.read} \\|`, "m");
    assertEquals(row.test(text), true, text);
  }
});

test("rows in which runtimes differ say so in the cell and below", () => {
  const text = semanticsTable(semanticsProbes.find(({ name }) => name === "read-ahead")!);
  const cells = text.match(/\bdiffers \|/g)?.length ?? 0;
  assertEquals(text.match(/^- .*: (?:deno|bun|node).*;/gm)?.length ?? 0, cells);
});
