import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { groupFiles } from "../../../scripts/test/group_files.ts";

test("files of a part share a process, in whatever folder, whatever lies between them", () => {
  const shared = ["tests/bench/text/a_test.ts", "tests/bench/b_test.ts"] as const;
  const other = ["tests/sinks/a_test.ts"];
  assertEquals(groupFiles([shared[0], ...other, shared[1]]), [[...shared], other]);
});

test("what takes long, imports others or wants its process for itself is alone", () => {
  for (const file of ["laws/memory_test.ts", "laws/probed_test.ts", "leaks/c_test.ts"]) {
    const files = ["tests/laws/a_test.ts", `tests/${file}`, "tests/laws/b_test.ts"];
    assertEquals(groupFiles(files), [[files[0]!, files[2]!], [files[1]!]]);
  }
  assertEquals(groupFiles(["tests/leaks/a_test.ts", "tests/leaks/b_test.ts"]).length, 2);
  const roots = ["errors", "without_newer_parts", "fifo"].map((name) => `tests/${name}_test.ts`);
  assertEquals(groupFiles(roots), [[roots[0]!, roots[2]!], [roots[1]!]]);
});

test("of many files each is in one group, and no group is long", () => {
  const files = Array.from({ length: 60 }, (_, index) => `tests/stages/${index}_test.ts`);
  const groups = groupFiles(files);
  assertEquals(groups.map(({ length }) => length), [24, 24, 12]);
  assertEquals(groups.flat(), files);
});
