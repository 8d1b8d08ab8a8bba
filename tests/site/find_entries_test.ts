import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { findEntries, type SearchEntry } from "../../site/find_entries.ts";

const entries: readonly SearchEntry[] = [
  ["Batch", "@hosepipe/streams", "batch-source.html#Batch", "The chunks that come next."],
  ["batchBy", "@hosepipe/streams", "batch-by.html#batchBy", "Gathers chunks with the same key."],
  [
    "batch",
    "@hosepipe/streams",
    "batch.html#batch",
    "Gathers chunks into arrays. maxWaitMs: later",
  ],
  ["Stopping a run", "The library", "library.html#stopping-a-run", "A signal ends it."],
  ["Home", "Home", "index.html", "Runs a batch of stages"],
];

function titles(question: string): string[] {
  return findEntries(entries, question).map(([title]) => title);
}

test("a name comes before what begins with it, and that before what only mentions it", () => {
  assertEquals(titles("batch"), ["batch", "Batch", "batchBy", "Home"]);
  assertEquals(titles("Batch"), ["Batch", "batch", "batchBy", "Home"]);
});

test("all words are looked for, in any order, upper and lower case alike", () => {
  assertEquals(titles("RUN stopping"), ["Stopping a run"]);
  assertEquals(titles("gathers key"), ["batchBy"]);
  assertEquals(titles("maxwaitms"), ["batch"]);
  assertEquals(titles("gathers nowhere"), []);
});

test("the name of a page finds its parts", () => {
  assertEquals(titles("library signal"), ["Stopping a run"]);
});

test("no question has no answer", () => {
  assertEquals(titles("  "), []);
});
