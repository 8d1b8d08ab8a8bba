import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";

const script = fileURLToPath(new URL("../../scripts/test.ts", import.meta.url));
const { name } = currentRuntime();
const before = descriptors[name].runArguments();

function runIn(ci: string | undefined, ...args: string[]): Promise<ProcessResult> {
  const ours = { [`HOSEPIPE_${name.toUpperCase()}`]: process.execPath };
  return runProcess(process.execPath, [...before, script, ...args], {
    env: { ...ours, CI: ci, NODE_TEST_CONTEXT: undefined },
  });
}

function runRunner(...args: string[]): Promise<ProcessResult> {
  return runIn(undefined, ...args);
}

/** Files of tests that fail, once or always; each notes that it was run. */
const planted = {
  "flaky_test.ts": `
    test("good", () => {});
    test("once", () => { if (runs === 1) throw new Error("an accident"); });`,
  "bad_test.ts": `
    test("fine", () => {});
    test("always", () => { throw new Error("no accident"); });`,
  // Each time another one.
  "shifty_test.ts": `
    test("odd", () => { if (runs % 2 === 1) throw new Error("odd"); });
    test("even", () => { if (runs % 2 === 0) throw new Error("even"); });`,
  "good_test.ts": `test("calm", () => {});`,
};

/** Runs planted tests, and tells how often each file was run. */
async function runPlanted(
  ci: string | undefined,
  ...names: (keyof typeof planted)[]
): Promise<{ code: number | null; lines: string[]; runs: number[] }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-planted-"));
  const noteOf = (name: string) => join(folder, `${name}.runs`);
  try {
    for (const name of names) {
      const note = JSON.stringify(noteOf(name));
      const head = `import { test } from "node:test";
        import { appendFileSync, readFileSync } from "node:fs";
        appendFileSync(${note}, "x");
        const runs = readFileSync(${note}, "utf8").length;`;
      await writeFile(join(folder, name), head + planted[name]);
    }
    const paths = names.map((name) => join(folder, name));
    const { code, output } = await runIn(ci, ...paths, "--runtime", name);
    const notes = await Promise.all(names.map((name) => readFile(noteOf(name), "utf8")));
    return { code, lines: output.trim().split("\n"), runs: notes.map((note) => note.length) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const countOf = (lines: readonly string[], part: string) =>
  lines.filter((line) => line.includes(part)).length;

test("in CI a file that fails is run once more at the end; what passes then is named", async () => {
  const { code, lines, runs } = await runPlanted("true", "flaky_test.ts", "good_test.ts");
  assertEquals([code, lines.at(-1), runs], [0, "3 passed, 0 failed", [2, 1]]);
  const at = lines.findIndex((line) => line.startsWith("passed only at the second run: 1"));
  assertMatch(lines[at + 1]!, /^ {2}\w+ .*flaky_test\.ts › once$/);
  assertEquals(countOf(lines, "an accident") > 0, true);
  assertEquals(countOf(lines, "once more, alone: "), 1);
});

test("a file that fails twice in CI fails, counted once, whichever of its tests it was", async () => {
  const names = ["bad_test.ts", "flaky_test.ts", "shifty_test.ts"] as const;
  const { code, lines, runs } = await runPlanted("true", ...names);
  assertEquals([code, lines.at(-1), runs], [1, "4 passed, 2 failed", [2, 2, 2]]);
  const failed = lines.slice(lines.indexOf("failed:") + 1, -1).map((line) =>
    line.replace(/^.*\//, "").trim()
  ).toSorted();
  assertEquals(failed, ["bad_test.ts › always", "shifty_test.ts › odd"]);
});

test("outside CI nothing is run a second time", async () => {
  for (const ci of [undefined, "false"]) {
    const { code, lines, runs } = await runPlanted(ci, "flaky_test.ts", "good_test.ts");
    assertEquals([code, lines.at(-1), runs], [1, "2 passed, 1 failed", [1, 1]]);
    assertEquals(countOf(lines, "second run"), 0);
  }
});

test("the test runner ends with the sum of what passed and failed", async () => {
  const { code, output } = await runRunner(
    "tests/scripts/test/plan_tests_test.ts",
    "--runtime",
    name,
  );
  assertEquals(output.trim().split("\n").at(-1), "3 passed, 0 failed");
  assertStringIncludes(output, `${name}: 3 passed, 0 failed`);
  assertEquals(code, 0);
});

test("the test runner counts a runtime that ran no test as a failure", async () => {
  const args = ["tests/scripts/test/plan_tests_test.ts", "--filter", "no such test"];
  const { code, output } = await runRunner(...args, "--runtime", name);
  assertEquals(output.trim().split("\n").at(-1), "0 passed, 1 failed");
  assertStringIncludes(output, `${name} › ran no test`);
  assertEquals(code, 1);
});
