import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import type { Fact } from "../../../scenarios/semantics/probe.ts";
import { readExpected } from "../../../scripts/semantics/expected_table.ts";
import type { Measured } from "../../../scripts/semantics/measured.ts";
import { summarize } from "../../../scripts/semantics/summarize.ts";

type Mutable = Record<string, Record<string, Record<string, Fact>>>;

function measured(): Measured[] {
  return runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts: structuredClone(facts) };
  });
}

test("eight facts at most, each with figures, in at most two sentences", () => {
  const sentences = summarize(measured());
  assert(sentences.length <= 8);
  for (const sentence of sentences) {
    assert(/\d/.test(sentence) && sentence.endsWith("."), sentence);
    assert(sentence.split(/[.] (?=[A-Z])/).length <= 2, sentence);
  }
});

test("the figures are those that were measured", () => {
  const places: [probe: string, row: string, column: string, fact: Fact, words: string][] = [
    ["defaults", "reader", "web, chunks", 77, "in chunks: ReadableStream 77;"],
    ["defaults", "writer", "node, bytes", 77, "16 objects or 77 bytes."],
    ["read-ahead", "web 5", "before", 77, "a Web source pulls 77 chunks immediately"],
    ["read-ahead", "node 5", "after one", 77, "until the first read, then 77"],
    ["no-writer", "5 node", "read", 77, "and 77 on node, and stop"],
    ["stalled-writer", "default web", "read", 77, "(with default highWaterMarks: 77 and"],
    ["batch", "4 web", "R out", 77, "highWaterMark of 4 holds 77 on Web Streams"],
    ["resume", "5 node", "read after each write", "6×0 7 0", "node 7 after every 7th"],
    ["push", "2", "R node", "2×yes 2×no", "push() returns true twice, then false twice"],
    [
      "objects-bytes",
      "64-KiB chunks to fill",
      "web sized",
      77,
      "ByteLengthQueuingStrategy take 77,",
    ],
  ];
  for (const [probe, row, column, fact, words] of places) {
    const changed = measured();
    for (const { facts } of changed) (facts as Mutable)[probe]![row]![column] = fact;
    assertStringIncludes(summarize(changed).join("\n"), words);
  }
});

test("where runtimes differ, each is named; what is missing is an error", () => {
  const changed = measured();
  (changed[1]!.facts as Mutable)["no-writer"]!["5 web"]!["read"] = 99;
  assertStringIncludes(
    summarize(changed).join("\n"),
    "take in 15 (deno) or 99 (bun) or 15 (node) chunks",
  );
  delete (changed[0]!.facts as Mutable)["resume"];
  assertThrows(() => summarize(changed), Error, "Cannot find resume / 5 web");
  assertEquals(summarize(measured().slice(0, 1)).length, 8);
});
