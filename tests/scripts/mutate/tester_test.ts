import { assertEquals } from "@std/assert";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Mutant } from "../../../scripts/mutate/mutant.ts";
import { Tester, type TesterLimits } from "../../../scripts/mutate/tester.ts";
import { inFolder } from "../../lib/in_folder.ts";
import { thisRuntime } from "../../lib/this_runtime.ts";

const source = `export function double(n: number): number {
  for (let i = 0; i < 1; i++);
  return n * 2;
}
`;
const passing = `import { test } from "node:test";
import { double } from "./double.ts";
test("doubles", () => {
  if (double(2) !== 4) throw new Error("it does not");
});
`;

/** A change of the one source file. */
function change(before: string, after: string): Mutant {
  const start = source.indexOf(before);
  return {
    path: "double.ts",
    line: 1,
    column: 1,
    start,
    end: start + before.length,
    before,
    after,
  };
}

function withTester(
  use: (tester: Tester, folder: string) => Promise<void>,
  limits: TesterLimits = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
    await writeFile(join(folder, "double.ts"), source);
    await writeFile(join(folder, "double_test.ts"), passing);
    await mkdir(join(folder, "sub"));
    const plain = { ...thisRuntime, arguments: [] };
    await use(new Tester(plain, pathToFileURL(`${folder}/`), signal, limits), folder);
    assertEquals(await readFile(join(folder, "double.ts"), "utf8"), source);
  });
}

const tests = new Map([["double_test.ts", 1000.5]]);

test("a tester tells tests that pass from those that fail as they are", () =>
  withTester(async (tester, folder) => {
    assertEquals(typeof await tester.timeOf("double_test.ts"), "number");
    await writeFile(join(folder, "bad_test.ts"), passing.replace("4", "5"));
    assertEquals(await tester.timeOf("bad_test.ts"), undefined);
  }));

test("a change is noticed by the test that fails, and only by one", () =>
  withTester(async (tester) => {
    const noticed = change("*", "/");
    assertEquals(await tester.tryMutant(noticed, tests), {
      mutant: noticed,
      noticedBy: "double_test.ts",
    });
    const equivalent = change("i < 1", "i < 2");
    assertEquals(await tester.tryMutant(equivalent, tests), { mutant: equivalent });
    const unread = change("n * 2", "n");
    assertEquals(await tester.tryMutant(unread, new Map()), { mutant: unread });
  }));

test("a change that hangs is noticed", () =>
  withTester(async (tester) => {
    const endless = change("i < 1", "true");
    const brief = new Map([["double_test.ts", 0]]);
    assertEquals((await tester.tryMutant(endless, brief)).noticedBy, "double_test.ts");
  }, { patienceMs: 3000 }));

test(
  "a change that takes more memory than it may is noticed before it takes the machine's",
  { skip: process.platform === "linux" ? false : "memory is watched on Linux" },
  () =>
    withTester(async (tester) => {
      const greedy = change(
        "i < 1; i++);",
        "true; i++) (globalThis as any)[i] = new Uint8Array(1 << 20).fill(1);",
      );
      assertEquals((await tester.tryMutant(greedy, tests)).noticedBy, "double_test.ts");
    }, { patienceMs: 100_000, memoryMiB: 600 }),
);

test("Ctrl-C ends a run in the middle, and the file is as it was", () => {
  const controller = new AbortController();
  return withTester(
    async (tester) => {
      setTimeout(() => controller.abort(), 500);
      const verdict = await tester.tryMutant(change("i < 1", "true"), tests);
      assertEquals(verdict.noticedBy, undefined);
    },
    { patienceMs: 100_000 },
    controller.signal,
  );
});
