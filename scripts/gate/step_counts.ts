/** How many of something passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * What a step of the gate counts for: the sum its last line states, or one for the step as a whole.
 * A sum without failures does not outweigh an exit code that reports one.
 */
export function stepCounts(code: number | null, output: string, countsTests = false): Counts {
  const last = output.trim().split("\n").at(-1) ?? "";
  const match = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(last);
  if (!countsTests || match === null) {
    const isGood = code === 0 && !countsTests;
    return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 };
  }
  const [passed = 0, failed = 0, skipped = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped };
}
