import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import type { Fact } from "../../../scenarios/semantics/probe.ts";
import { drawFacts } from "../../../scripts/semantics/draw_facts.ts";
import { latestMeasured } from "../../../scripts/semantics/latest_measured.ts";
import { summarize } from "../../../scripts/semantics/summarize.ts";

type Mutable = Record<string, Record<string, Record<string, Fact>>>;

/** The tables, with one fact changed in all of them. */
function changed(probe: string, row: string, column: string, fact: Fact) {
  return latestMeasured().map((one) => {
    const facts = structuredClone(one.facts) as Mutable;
    facts[probe]![row]![column] = fact;
    return { ...one, facts };
  });
}

test("each fact has its picture, but for the defaults, which are a table", () => {
  const pictures = drawFacts(latestMeasured());
  assertEquals(pictures.length, summarize(latestMeasured()).length);
  assertEquals(pictures.map((picture) => picture === undefined), [true, ...Array(7).fill(false)]);
});

test("the pictures show what was measured", () => {
  const places: [place: [string, string, string], fact: Fact, index: number, line: string][] = [
    [["read-ahead", "node 5", "before"], 2, 1, "node  5              [■■□□□] pulled 2"],
    [["no-writer", "5 web", "T out"], 1, 2, "web   [■■■■■]    [■■■■■]        [■□□□□]"],
    [["stalled-writer", "5 node", "writing"], 0, 3, "[■■■■■]         [■■■■□]"],
    [["batch", "4 node", "R out"], 7, 4, "node  [■■■■]+3"],
    [["resume", "5 web", "read after each write"], "2×1 2", 5, "web   ■ ■ ■■"],
    [["push", "2", "R node"], "2×yes 2×no", 6, "node  push()       true  true  false   false"],
    [["objects-bytes", "64-KiB chunks to fill", "node bytes"], 3, 7, "■■■ 192 KiB"],
  ];
  for (const [[probe, row, column], fact, index, line] of places) {
    const picture = drawFacts(changed(probe, row, column, fact))[index]!;
    assertEquals(picture.split("\n").filter((text) => text.includes(line)).length, 1, picture);
  }
});

test("a figure that runtimes disagree about is not drawn", () => {
  const [first, ...rest] = latestMeasured();
  const other = changed("batch", "4 web", "R out", 99)[0]!;
  assertEquals(first!.name, other.name);
  assertThrows(() => drawFacts([other, ...rest]), Error, "Cannot draw batch / 4 web / R out: 99");
});
