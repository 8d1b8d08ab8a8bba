import process from "node:process";
import type { PreparedCase } from "./workload.ts";

/** Runs a case again and again. What makes it ready for a run costs nothing by this clock. */
export class CaseClock {
  readonly #prepared: PreparedCase;
  readonly #cpuMs: () => number;
  #pausedMs = 0;
  #pausedCpuMs = 0;

  constructor(prepared: PreparedCase, cpuMs = cpuMsOfProcess) {
    this.#prepared = prepared;
    this.#cpuMs = cpuMs;
  }

  /** What mitata is asked to go by; nothing where its own clock will do, which is finer. */
  get options(): { now?: () => number } {
    if (this.#prepared.reset === undefined) return {};
    return { now: () => (performance.now() - this.#pausedMs) * 1e6 };
  }

  /** CPU time of this process, in milliseconds. */
  get cpuMs(): number {
    return this.#cpuMs() - this.#pausedCpuMs;
  }

  /** Makes the case ready and runs it. */
  run(): Promise<void> {
    return this.#prepared.reset === undefined ? this.#prepared.run() : this.#resetAndRun();
  }

  async #resetAndRun(): Promise<void> {
    const startedAtMs = performance.now();
    const cpuBeforeMs = this.#cpuMs();
    await this.#prepared.reset!();
    this.#pausedMs += performance.now() - startedAtMs;
    this.#pausedCpuMs += this.#cpuMs() - cpuBeforeMs;
    await this.#prepared.run();
  }
}

function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
