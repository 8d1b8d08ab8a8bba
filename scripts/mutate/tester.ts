import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { runTestFile } from "../test/run_test_file.ts";
import type { Mutant } from "./mutant.ts";

/**
 * Calls back once if a process holds more memory than it may, on Linux; a changed loop may fill the machine within
 * seconds. Returns what ends the watch.
 */
function limitMemory(pid: number, mebibytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kibibytes > mebibytes * 1024) {
      clearInterval(timer);
      onExceeded();
    }
  }, 100);
  return () => clearInterval(timer);
}

/** What tests of a changed file may take. */
export interface TesterLimits {
  /** How long beyond four times as long as unchanged: what a busy machine may add. Default: 15,000. */
  readonly patienceMs?: number;
  /** How much memory; the true file's need a fraction of it. Default: 1536. */
  readonly memoryMiB?: number;
}

/** What became of a change: the test that failed, or nothing if none did. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly noticedBy?: string;
}

/** Runs tests in a copy of the project, one at a time: the project itself is never touched. */
export class Tester {
  readonly #runtime: Runtime;
  readonly #copy: URL;
  readonly #signal: AbortSignal;
  readonly #limits: Required<TesterLimits>;

  /** @param copy A folder that is the tester's own. */
  constructor(runtime: Runtime, copy: URL, signal: AbortSignal, limits: TesterLimits = {}) {
    this.#runtime = runtime;
    this.#copy = copy;
    this.#signal = signal;
    this.#limits = { patienceMs: 15_000, memoryMiB: 1536, ...limits };
  }

  /** How long a file's tests take while nothing is changed; undefined if they fail. */
  async timeOf(test: string): Promise<number | undefined> {
    const startedAt = performance.now();
    if (!await this.#passes(test, 600_000)) return undefined;
    return performance.now() - startedAt;
  }

  /**
   * Changes a file of the copy, runs tests until one fails, and changes it back.
   *
   * @param tests What to run, in order, by how long each takes.
   */
  async tryMutant(mutant: Mutant, tests: ReadonlyMap<string, number>): Promise<Verdict> {
    const file = new URL(mutant.path, this.#copy);
    const text = await readFile(file, "utf8");
    const { start, end, before, after } = mutant;
    if (text.slice(start, end) !== before) {
      throw new Error(`Cannot change ${mutant.path}:${mutant.line}: it is not what it was`);
    }
    await writeFile(file, text.slice(0, start) + after + text.slice(end));
    try {
      for (const [test, elapsedMs] of tests) {
        const passes = await this.#passes(test, Math.ceil(this.#limits.patienceMs + 4 * elapsedMs));
        if (this.#signal.aborted) break;
        if (!passes) return { mutant, noticedBy: test };
      }
      return { mutant };
    } finally {
      await writeFile(file, text);
    }
  }

  async #passes(test: string, timeoutMs: number): Promise<boolean> {
    const { memoryMiB } = this.#limits;
    let stopWatch: (() => void) | undefined;
    try {
      const { failures } = await runTestFile(this.#runtime, test, {
        ...{ cwd: this.#copy, bail: true, timeoutMs, signal: this.#signal },
        onStart(pid) {
          stopWatch = limitMemory(pid, memoryMiB, () => process.kill(-pid, "SIGKILL"));
        },
      });
      return failures.length === 0;
    } finally {
      stopWatch?.();
    }
  }
}
