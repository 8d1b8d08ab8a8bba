import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { waitProblems } from "../../../scripts/gate/wait_problems.ts";

/** Of the list of reasons only those for these files are looked at. */
const problems = (path: string, text: string) => waitProblems(new Map([[path, text]]));
const wait = (ms: string) => `await new Promise((resolve) => setTimeout(resolve, ${ms}));`;

test("waitProblems leaves short waits alone, and those that are not in tests", () => {
  for (const ms of ["", "0", "1", "5"]) assertEquals(problems("tests/a_test.ts", wait(ms)), []);
  assertEquals(problems("tests/a_test.ts", "setTimeout(resolve, late)"), []);
  assertEquals(problems("scripts/a.ts", wait("500")), []);
});

test("waitProblems names a test that waits by the clock", () => {
  for (
    const [text, ms] of [
      [wait("6"), "6"],
      [wait("1_000"), "1_000"],
      ["setTimeout(() => controller.abort(new Error(late())), 20);", "20"],
      [`${wait("20")} ${wait("1")} ${wait("30")}`, "20, 30"],
      ["await sleep(300)", "300"],
    ] as const
  ) {
    const [problem, ...others] = problems("tests/a_test.ts", text);
    assertEquals([problem?.startsWith(`tests/a_test.ts waits ${ms} ms: `), others], [true, []]);
  }
});

test("waitProblems takes a reason, and names one that is no longer needed", () => {
  assertEquals(problems("tests/files/open_files.ts", wait("100")), []);
  assertEquals(problems("tests/files/open_files.ts", wait("5")), [
    "tests/files/open_files.ts waits for nothing long: take its reason out of wait_problems.ts",
  ]);
});
