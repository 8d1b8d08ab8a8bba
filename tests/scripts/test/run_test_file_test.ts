import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { currentRuntime, runtimeNames } from "../../../runtimes/current_runtime.ts";
import {
  judgeTestFile,
  runTestFile,
  type TestFileOptions,
  type TestFileResult,
} from "../../../scripts/test/run_test_file.ts";
import { findRuntime, type Runtime } from "../../../runtimes/find_runtime.ts";

const runtime: Runtime = {
  ...currentRuntime(),
  executable: process.execPath,
  arguments: [],
  origin: "this process",
};

async function runText(
  text: string,
  options: Partial<TestFileOptions> = {},
  by = runtime,
): Promise<TestFileResult> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-fixture-"));
  try {
    await writeFile(join(folder, "fixture_test.ts"), `import { test } from "node:test";\n${text}`);
    const cwd = pathToFileURL(`${folder}/`);
    return await runTestFile(by, "fixture_test.ts", { cwd, timeoutMs: 60_000, ...options });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function names(result: TestFileResult): string[] {
  return result.failures.map(({ name }) => name);
}

test("runTestFile counts passed, failed and skipped tests", async () => {
  const result = await runText(`
    test("good", () => {});
    test("bad", () => { throw new Error("the cause"); });
    test("bad undefined", async () => { await 0; throw undefined; });
    test("left out", { skip: true }, () => {});`);
  assertEquals([result.passed, result.skipped], [1, ["left out"]]);
  assertEquals(names(result), ["bad", "bad undefined"]);
  assertStringIncludes(result.failures[0]!.detail, "the cause");
});

test("runTestFile counts a file that does not load as failed, and shows why", async () => {
  const result = await runText(`throw new Error("cannot load");`);
  assertEquals([result.passed, result.failures.length], [0, 1]);
  assertStringIncludes(result.failures[0]!.detail, "cannot load");
});

test("runTestFile counts a file without tests as failed", async () => {
  assertEquals(names(await runText("")), ["the file ran no test"]);
});

test("runTestFile counts a process that dies as failed, whatever passed before", async () => {
  const result = await runText(`
    test("good", () => {});
    test("fatal", () => { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}); });`);
  assertEquals(result.failures.length, 1);
});

test("runTestFile kills a file that does not end", async () => {
  const result = await runText(
    `test("endless", () => new Promise((resolve) => setTimeout(resolve, 600_000)));`,
    { timeoutMs: 2000 },
  );
  assertEquals(result.passed, 0);
  assertEquals(result.failures.length, 1);
});

test("runTestFile with a filter runs only the tests whose name contains it, literally", async () => {
  const text = `
    test("a.b (one)", () => {});
    test("axb (one)", () => { throw new Error("not asked for"); });
    test("other", { skip: true }, () => {});`;
  for (const [filter, passed] of [["a.b (", 1], ["nothing", 0]] as const) {
    const { elapsedMs: _, ...counts } = await runText(text, { filter });
    assertEquals(counts, { passed, skipped: [], failures: [] });
  }
});

test("runTestFile ends early when its signal aborts", async () => {
  const controller = new AbortController();
  const running = runText(
    `test("endless", () => new Promise((resolve) => setTimeout(resolve, 600_000)));`,
    { signal: controller.signal },
  );
  controller.abort();
  assertEquals((await running).passed, 0);
});

test("judgeTestFile adds no second failure where a failed test explains the exit code", () => {
  const cases = [{ name: "bad", outcome: "failed", detail: "no", elapsedMs: 1 }] as const;
  const result = judgeTestFile(cases, { code: 1, output: "", timedOut: false, elapsedMs: 2 });
  assertEquals(result.failures, [{ name: "bad", detail: "no" }]);
});

test("judgeTestFile does not trust a report of success with an exit code of failure", () => {
  const cases = [{ name: "good", outcome: "passed", detail: "", elapsedMs: 1 }] as const;
  const result = judgeTestFile(cases, { code: 3, output: "boom", timedOut: false, elapsedMs: 2 });
  assertEquals([result.passed, names(result)], [1, ["the file exited with code 3"]]);
});

for (const name of runtimeNames) {
  test(`in ${name} timers take as many times as long as is asked for`, async () => {
    const text = `test("twenty", async () => {
      const startedAt = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      // Some runtimes round.
      if (performance.now() - startedAt < 98) throw new Error("it was quick");
    });`;
    const found = await findRuntime(name);
    assertEquals((await runText(text, { slowTimers: 5 }, found)).passed, 1);
    assertEquals((await runText(text, { slowTimers: 2 }, found)).passed, 0);
  });

  test(`in ${name} tests learn how thorough they are to be`, async () => {
    const found = await findRuntime(name);
    const text = `test("learns", () => {
      if (globalThis.process.env.HOSEPIPE_THOROUGH !== "7") throw new Error("it does not know");
    });`;
    assertEquals((await runText(text, { thorough: 7 }, found)).passed, 1);
    assertEquals((await runText(text, {}, found)).passed, 0);
  });

  test(`in ${name} a rejection that nothing handles is a failure`, async () => {
    const found = await findRuntime(name);
    const during = `test("good", async () => {
      Promise.reject(new Error("left alone"));
      await new Promise((resolve) => setTimeout(resolve, 20));
    });`;
    const behind = `test("good", () => {
      setTimeout(() => Promise.reject(new Error("left alone")), 1);
    });
    test("longer", () => new Promise((resolve) => setTimeout(resolve, 20)));`;
    // Deno asks nothing of what a test that is over has left.
    for (const text of name === "deno" ? [during] : [during, behind]) {
      const { failures } = await runText(text, {}, found);
      assert(failures.length > 0, text);
      assertStringIncludes(failures.map(({ detail }) => detail).join(), "left alone");
    }
  });
}
