import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { Mutant } from "./mutant.ts";
import { Tester, type Verdict } from "./tester.ts";

/** How changes are tried. */
export interface TryOptions {
  readonly runtime: Runtime;
  /** Copies of the project, which may be changed: one for each change at a time. */
  readonly copies: readonly URL[];
  /** The tests of each file, the one that is its own first. */
  readonly testsOf: (path: string) => readonly string[];
  /** Begins no change after so long. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called with what is done next. */
  readonly onBegin: (what: string) => void;
  /** Called with a test that fails though nothing is changed; it is left out. */
  readonly onFailingTest: (test: string) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

/** Does `work` with each of `items`, by several workers, until one says stop. */
async function share<Worker, Item>(
  workers: readonly Worker[],
  items: readonly Item[],
  work: (worker: Worker, item: Item) => Promise<boolean>,
): Promise<void> {
  let next = 0;
  await Promise.all(workers.map(async (worker) => {
    while (next < items.length && await work(worker, items[next++]!));
  }));
}

/** Tries changes one by one: first its file's own test, then the others that reach it, the quickest first. */
export async function tryMutants(mutants: readonly Mutant[], options: TryOptions): Promise<void> {
  const { runtime, copies, testsOf, limitMs, signal } = options;
  const testers = copies.map((copy) => new Tester(runtime, copy, signal));
  const times = new Map<string, number>();
  const tests = [...new Set(mutants.flatMap(({ path }) => testsOf(path)))];
  await share(testers, tests, async (tester, test) => {
    options.onBegin(`unchanged: ${test}`);
    const elapsedMs = await tester.timeOf(test) ?? await tester.timeOf(test);
    if (elapsedMs !== undefined) times.set(test, elapsedMs);
    else if (!signal.aborted) options.onFailingTest(test);
    return !signal.aborted;
  });

  const endMs = performance.now() + limitMs;
  await share(testers, mutants, async (tester, mutant) => {
    if (signal.aborted || performance.now() > endMs) return false;
    options.onBegin(`${mutant.path}:${mutant.line}`);
    const [own, ...others] = testsOf(mutant.path).filter((test) => times.has(test));
    others.sort((one, other) => times.get(one)! - times.get(other)!);
    const inOrder = own === undefined ? [] : [own, ...others];
    const timed = new Map(inOrder.map((test) => [test, times.get(test)!]));
    const verdict = await tester.tryMutant(mutant, timed);
    if (!signal.aborted) options.onVerdict(verdict);
    return !signal.aborted;
  });
}
