import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { isQuick, planTests, runsUnder } from "../../scripts/test/plan_tests.ts";
import { runTestFile, type TestFileOptions } from "../../scripts/test/run_test_file.ts";
import { runTestFiles } from "../../scripts/test/run_test_files.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";

const root = new URL("../../", import.meta.url);
const head = `import { test } from "node:test"; import process from "node:process";\n`;

test("files, folders, parts of a path and patterns name tests; what names none is missing", async () => {
  const batches = "tests/stages/batch_test.ts";
  for (const path of [batches, "tests/stages", "tests/stages/", "stages/batch", "batc*"]) {
    const { tests, examples } = await planTests(root, { paths: [path] });
    assertEquals([tests.includes(batches), examples], [true, []], path);
  }
  assertEquals((await planTests(root, { paths: [batches] })).tests, [batches]);
  const source = "src/stages/batch.ts";
  assertEquals((await planTests(root, { paths: [source] })).examples, [source]);
  for (const path of ["tests/nowhere", "tests/stages/no_test.ts", "src/no.ts"]) {
    assertEquals((await planTests(root, { paths: [path] })).missing, path);
  }
  const [all, quick, rest] = await Promise.all(
    ([undefined, "quick", "rest"] as const).map((size) => planTests(root, { paths: [], size })),
  );
  assertEquals([...quick!.tests, ...rest!.tests].sort(), all!.tests.toSorted());
  assert(quick!.tests.every(isQuick) && quick!.tests.every((file) => runsUnder(file, "bun")));
});

const good = `test("good", () => {});`;
const hangs = `test("hangs", () => new Promise((resolve) => setTimeout(resolve, 600_000)));`;
const unhandled = `test("good", async () => {
  Promise.reject(new Error("left alone"));
  await new Promise((resolve) => setTimeout(resolve, 20));
});`;

interface Alone {
  readonly passed: number;
  readonly fails?: RegExp;
  readonly skipped?: readonly string[];
  readonly options?: Partial<TestFileOptions>;
}

/** What is made of a file by itself. */
const alone: Readonly<Record<string, Alone>> = {
  [`${good} test("bad", () => { throw new Error("the cause"); }); test("no", { skip: true });`]: {
    passed: 1,
    fails: /the cause/,
    skipped: ["no"],
  },
  [`${good} test("bad", async () => { await 0; throw undefined; });`]: { passed: 1, fails: /bad/ },
  [`throw new Error("cannot load");`]: { passed: 0, fails: /cannot load/ },
  "": { passed: 0, fails: /the file ran no test/ },
  [`test("dies", () => process.kill(process.pid, "SIGKILL"));`]: { passed: 0, fails: /./ },
  [hangs]: { passed: 0, fails: /did not end in time/, options: { timeoutMs: 2000 } },
  [unhandled]: { passed: 0, fails: /left alone/ },
  [`test("a.b (", () => {}); test("axb (", () => { throw new Error("not asked for"); });`]: {
    passed: 1,
    options: { filter: "a.b (" },
  },
};

/** What is made of files that share a process: who passes, and what fails. */
const together: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ a: good, b: `await new Promise((done) => setTimeout(done, 300)); ${good}` }, /^a 1, b 1$/],
  [{ a: good, b: "" }, /^a 1, b 0 the file ran no test$/],
  [{ a: good, b: `throw new Error("no");`, c: good }, /^a 1, b 0 .+, c 1$/s],
  [
    {
      a: `test("leaves", () => { globalThis.left = true; });`,
      b: `test("b", () => { if (globalThis.left) process.kill(process.pid, "SIGKILL"); });`,
    },
    /^a 1, b 1 2 files in one process .*not one of them alone/,
  ],
  [
    { a: `test("replaces", () => { Math.random = () => 2; });`, b: good },
    /^a 1, b 1 .*not one of them alone.*has not put back Math\.random/s,
  ],
];

const write = (folder: string, name: string, text: string) =>
  writeFile(join(folder, `${name}_test.ts`), head + text);

for (const name of runtimeNames) {
  test(`in ${name} the runner sees what a file alone does wrong`, async () => {
    const runtime = await findRuntime(name);
    for (const [text, { passed, fails, skipped = [], options }] of Object.entries(alone)) {
      await inFolder(async (folder) => {
        await write(folder, "a", text);
        const cwd = pathToFileURL(`${folder}/`);
        const all = { cwd, timeoutMs: 60_000, ...options };
        const result = await runTestFile(runtime, "a_test.ts", all);
        const failures = result.failures.map(({ name, detail }) => `${name} ${detail}`).join();
        if (text !== unhandled) assertEquals([result.passed, result.skipped], [passed, skipped]);
        assertMatch(failures, fails ?? /^$/, text);
      });
    }
  });

  test(`in ${name} the runner sees what files do to each other`, async () => {
    const runtime = await findRuntime(name);
    for (const [texts, expected] of together) {
      await inFolder(async (folder) => {
        for (const [file, text] of Object.entries(texts)) await write(folder, file, text);
        const files = Object.keys(texts).map((file) => `${file}_test.ts`);
        const cwd = pathToFileURL(`${folder}/`);
        const results = await runTestFiles(runtime, files, { cwd, timeoutMs: 300_000 });
        const told = [...results].map(([file, { passed, failures }]) =>
          [file[0], passed, ...failures.map(({ name, detail }) => `${name} ${detail}`.trim())]
            .join(" ")
        );
        assertMatch(told.join(", "), expected);
      });
    }
  });
}

test("a file that fails is run once more in CI alone; the last line is the sum, and decides the exit code", () =>
  inFolder(async (folder) => {
    const { name } = currentRuntime();
    const own = { [`HOSEPIPE_${name.toUpperCase()}`]: process.execPath };
    const note = join(folder, "runs");
    const flaky = `import { appendFileSync, readFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(note)}, "x");
      test("good", () => {});
      test("once", () => {
        if (readFileSync(${JSON.stringify(note)}, "utf8") === "x") throw new Error("an accident");
      });`;
    await write(folder, "flaky", flaky);
    const rows = [["true", 0, "2 passed, 0 failed", 2], ["", 1, "1 passed, 1 failed", 1]] as const;
    for (const [ci, code, sum, runs] of rows) {
      await writeFile(note, "");
      const args = [join(folder, "flaky_test.ts"), "--runtime", name];
      const ended = await startScript("scripts/test.ts", args, { ...own, CI: ci }).ended;
      assertEquals([ended.code, ended.stdout.trim().split("\n").at(-1)], [code, sum]);
      assertEquals((await readFile(note, "utf8")).length, runs);
      assertEquals(ended.stdout.includes("passed only at the second run: 1"), code === 0);
    }
    const none = [join(folder, "flaky_test.ts"), "--filter", "no such test", "--runtime", name];
    const ended = await startScript("scripts/test.ts", none, own).ended;
    assertEquals(ended.code, 1);
    assertStringIncludes(ended.stdout, `${name} › ran no test`);
  }));
