import type { BrokenLaw, CheckResult } from "./law_types.ts";

/** What laws have come to. */
export class LawResult implements CheckResult {
  readonly held: readonly string[];
  readonly skipped: Readonly<Record<string, string>>;
  readonly failed: readonly BrokenLaw[];
  readonly #subject: string;

  constructor(
    subject: string,
    held: readonly string[],
    skipped: Readonly<Record<string, string>>,
    failed: readonly BrokenLaw[],
  ) {
    this.#subject = subject;
    this.held = held;
    this.skipped = skipped;
    this.failed = failed;
  }

  throwIfFailed(): void {
    const { failed } = this;
    if (failed.length === 0) return;
    const count = failed.length === 1 ? "a law" : `${failed.length} laws`;
    const lines = failed.map(({ law, program, problem }) => `  ${law}: ${problem}\n    ${program}`);
    throw new Error([`The ${this.#subject} breaks ${count}`, ...lines].join("\n"));
  }
}
