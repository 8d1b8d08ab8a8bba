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
  ["Coming from elsewhere", "Coming from elsewhere", "move.html", "Names there and here"],
  ["p-map", "Coming from elsewhere", "move.html#p-map", "What replaces it"],
  ["Working on it", "Development", "development.html", "Packages: p-map. To move a file"],
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

test("the file of a page finds it first, then its parts", () => {
  assertEquals(titles("move"), ["Coming from elsewhere", "p-map", "Working on it"]);
  assertEquals(titles("move p-map"), ["p-map", "Working on it"]);
});
