import { assertThrows } from "@std/assert";
import { test } from "node:test";
import {
  batch,
  changes,
  compose,
  distinct,
  expand,
  filter,
  flatMap,
  formatNdjson,
  lines,
  map,
  parallel,
  parseNdjson,
  scan,
  split,
  take,
  tap,
} from "../../mod.ts";
import { checkMemory } from "../../src/workers/check_memory.ts";

const forgetful = [
  map((chunk) => chunk),
  filter(() => true),
  flatMap((chunk) => [chunk]),
  flatMap((chunk) => [chunk], { concurrency: 2 }),
  tap(() => {}),
  parallel((chunk) => chunk, { concurrency: 2 }),
  formatNdjson(),
  { transform() {} },
];

test("stages that remember nothing may run in threads, and records with cut", () => {
  checkMemory(forgetful, "nothing");
  checkMemory([...forgetful, lines(), split(","), parseNdjson(), compose(lines())], "record");
  checkMemory([take(1), batch(2), scan((sum: number) => sum, 0)], "block");
});

test("stages that remember chunks, or records without cut, are refused by their place", () => {
  const remembering = [
    ...[take(1), batch(2), batch(2, { maxBytes: 9 }), scan((sum: number) => sum, 0)],
    ...[compose(take(1)), distinct(), changes(), expand(() => [])],
  ];
  for (const stage of remembering) {
    for (const memory of ["nothing", "record"] as const) {
      assertThrows(() => checkMemory([stage], memory), TypeError, "give perBlock: true");
    }
  }
  assertThrows(
    () => checkMemory([map((chunk) => chunk), lines()], "nothing"),
    TypeError,
    "Cannot run stage 2 in threads: it remembers chunks, and would give something else at another size of block; give cut",
  );
});
