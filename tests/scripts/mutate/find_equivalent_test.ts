import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Equivalent } from "../../../scripts/mutate/equivalents.ts";
import { findEquivalent, staleEquivalents } from "../../../scripts/mutate/find_equivalent.ts";
import { listMutants } from "../../../scripts/mutate/list_mutants.ts";

const files = new Map([["src/a.ts", "const x = 1;\n  const y = 1 + (2 + 1);\n"]]);
const line = "const y = 1 + (2 + 1);";
const one = { path: "src/a.ts", line, before: "1", after: "2", reason: "for a test" };

/** The places of the changes that are known, as line and column. */
function found(known: readonly Equivalent[]): string[] {
  return listMutants("src/a.ts", files.get("src/a.ts")!)
    .filter((mutant) => findEquivalent(mutant, files, known) !== undefined)
    .map(({ line, column }) => `${line}:${column}`);
}

test("a known change is found by its line, whatever stands above it and before it", () => {
  assertEquals(found([one]), ["2:13", "2:22"]);
  assertEquals(found([{ ...one, column: 20 }]), ["2:22"]);
  assertEquals(found([{ ...one, line: "const x = 1;" }]), ["1:11"]);
});

test("another file, line, text or place is another change", () => {
  for (
    const other of [
      { path: "src/b.ts" },
      { line: "const y = 1 + (2 + 2);" },
      { before: "2" },
      { after: "3" },
      { column: 3 },
    ]
  ) assertEquals(found([{ ...one, ...other }]), []);
});

test("what is known of a line that is gone, or of a file, is stale", () => {
  const gone = { ...one, line: "const z = 1;" };
  const elsewhere = { ...one, path: "src/b.ts" };
  assertEquals(staleEquivalents(files, [one, gone, elsewhere]), [gone, elsewhere]);
});
