import { assertEquals, assertStringIncludes } from "@std/assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";
import type { TestCase } from "../../../scripts/test/parse_junit.ts";
import { runTestFiles, splitCases } from "../../../scripts/test/run_test_files.ts";

/** Runs files together, and tells of each what passed, was left out, and failed. */
async function runTexts(
  name: RuntimeName,
  texts: Readonly<Record<string, string>>,
  options: { readonly timeoutMs?: number; readonly filter?: string } = {},
): Promise<{ counts: Record<string, unknown>; details: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-fixture-"));
  try {
    const files = Object.keys(texts).map((file) => `${file}_test.ts`);
    for (const [file, text] of Object.entries(texts)) {
      const head = `import { test } from "node:test";\nimport process from "node:process";\n`;
      await writeFile(join(folder, `${file}_test.ts`), head + text);
    }
    const cwd = pathToFileURL(`${folder}/`);
    const results = await runTestFiles(await findRuntime(name), files, {
      ...{ cwd, timeoutMs: 300_000, ...options },
    });
    const all = [...results].map(([file, { passed, skipped, failures }]) =>
      [file.replace("_test.ts", ""), [passed, skipped, failures.map(({ name }) => name)]] as const
    );
    const details = results.values().flatMap(({ failures }) => failures)
      .map(({ detail }) => detail).toArray().join("\n");
    return { counts: Object.fromEntries(all), details };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const caseOf = (name: string, outcome: TestCase["outcome"] = "passed"): TestCase => ({
  ...{ name, outcome, detail: "", elapsedMs: 0 },
});

test("splitCases gives each file what stands before its end", () => {
  const cases = [
    ...[caseOf("one"), caseOf("end of a_test.ts"), caseOf("two", "failed")],
    ...[caseOf("end of b_test.ts"), caseOf("three")],
  ];
  assertEquals(
    [...splitCases(cases, ["a_test.ts", "b_test.ts", "c_test.ts"])],
    [["a_test.ts", [cases[0]!]], ["b_test.ts", [cases[2]!]]],
  );
});

test("splitCases takes no end that was left out, nor one of another file", () => {
  const cases = [caseOf("end of a_test.ts", "skipped"), caseOf("end of z_test.ts")];
  assertEquals(splitCases(cases, ["a_test.ts"]).size, 0);
});

for (const name of runtimeNames) {
  test(`in ${name} files that share a process each have their own counts`, async () => {
    const { counts, details } = await runTexts(name, {
      a: `test("good", () => {}); test("left out", { skip: true }, () => {});`,
      b: `test("bad", () => { throw new Error("the cause"); }); test("fine", () => {});`,
      c: `await 0; test("late", async () => { await 0; });`,
    });
    assertEquals(counts, { a: [1, ["left out"], []], b: [1, [], ["bad"]], c: [1, [], []] });
    assertStringIncludes(details, "the cause");
  });

  test(`in ${name} a file that takes long to load is waited for`, async () => {
    const { counts } = await runTexts(name, {
      a: `test("good", () => {});`,
      // Long after all tests before it have ended.
      b: `await new Promise((done) => setTimeout(done, 300)); test("late", () => {});`,
    });
    assertEquals(counts, { a: [1, [], []], b: [1, [], []] });
  });

  test(`in ${name} a file without tests is found among others`, async () => {
    const { counts } = await runTexts(name, { a: `test("good", () => {});`, b: "" });
    assertEquals(counts, { a: [1, [], []], b: [0, [], ["the file ran no test"]] });
  });

  test(`in ${name} a filter holds for all, and leaves their ends`, async () => {
    const { counts } = await runTexts(name, {
      a: `test("good", () => {}); test("other", () => {});`,
      b: `test("third", () => { throw new Error("not asked for"); });`,
    }, { filter: "good" });
    assertEquals(counts, { a: [1, [], []], b: [0, [], []] });
  });

  test(`in ${name} a file that does not load, or dies, costs no other`, async () => {
    const good = `test("good", () => {});`;
    const bad = {
      load: `throw new Error("cannot load");`,
      die: `test("dies", () => process.kill(process.pid, "SIGKILL"));`,
    };
    for (const [what, text] of Object.entries(bad)) {
      const { counts } = await runTexts(name, { a: good, [what]: text, z: good });
      const { [what]: own, ...others } = counts;
      assertEquals([what, others], [what, { a: [1, [], []], z: [1, [], []] }]);
      assertEquals((own as [number, string[], string[]])[2].length, 1);
    }
  });

  test(`in ${name} files that hang are killed, each alone, too`, async () => {
    const text = `test("hangs", () => new Promise((done) => setTimeout(done, 600_000)));`;
    const { counts } = await runTexts(name, { a: text, b: text }, { timeoutMs: 1500 });
    const failed = [0, [], ["the file did not end in time and was killed"]];
    assertEquals(counts, { a: failed, b: failed });
  });

  test(`in ${name} what files do to each other is a failure`, async () => {
    const { counts } = await runTexts(name, {
      a: `test("leaves", () => { globalThis.left = true; });`,
      b: `test("dies of it", () => { if (globalThis.left) process.kill(process.pid, "SIGKILL"); });`,
    });
    const { b, ...others } = counts;
    assertEquals(others, { a: [1, [], []] });
    const [passed, , [failure, ...more]] = b as [number, string[], string[]];
    assertEquals([passed, more], [1, []]);
    assertStringIncludes(failure!, "2 files in one process");
    assertStringIncludes(failure!, "not one of them alone");
  });

  test(`in ${name} a function that is not put back is a failure, and the next file has it`, async () => {
    const { counts, details } = await runTexts(name, {
      a: `test("replaces", () => { Math.random = () => 2; performance.now = () => 0; });`,
      b: `test("draws", () => { if (Math.random() === 2) throw new Error("not its own"); });`,
    });
    const { b, ...others } = counts;
    assertEquals(others, { a: [1, [], []] });
    const [passed, , [failure, ...more]] = b as [number, string[], string[]];
    assertEquals([passed, more], [1, []]);
    assertStringIncludes(failure!, "not one of them alone");
    assertStringIncludes(details, "has not put back Math.random, performance.now");
  });

  test(`in ${name} a failure beside it hides nothing`, async () => {
    const { counts } = await runTexts(name, {
      a: `test("bad", () => { throw new Error("its own"); });`,
      b: `test("leaves", () => { Math.random = () => 2; });`,
      c: `test("good", () => {});`,
    });
    const { c, ...others } = counts;
    assertEquals(others, { a: [0, [], ["bad"]], b: [1, [], []] });
    assertStringIncludes((c as [number, string[], string[]])[2][0]!, "not one of them alone");
  });
}

test("in node what fails after all ends is a failure", async () => {
  const { counts } = await runTexts("node", {
    a: `test("outer", () => { test("inner", () => { throw new Error("bad"); }); });`,
    b: `test("good", () => {});`,
  });
  const failures = Object.values(counts).flatMap((one) => (one as [number, string[], string[]])[2]);
  assertEquals(failures.length > 0, true);
});
