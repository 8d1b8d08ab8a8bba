import type { FileResult } from "./run_suites.ts";

/** Passed, failed, hung and inapplicable tests for each suite, runtime and way, one line each. */
export function summaryTable(files: readonly FileResult[]): string {
  const groups = new Map<string, { pass: number; fail: number; hang: number; other: number }>();
  for (const { suite, runtime, way, results } of files) {
    const key = `${suite.padEnd(18)} ${runtime.padEnd(5)} ${way.padEnd(7)}`;
    const counts = groups.get(key) ?? { pass: 0, fail: 0, hang: 0, other: 0 };
    groups.set(key, counts);
    for (const { status } of results) counts[status]++;
  }
  const pad = (value: number | string) => `${value}`.padStart(6);
  const head = `${"suite".padEnd(18)} ${"".padEnd(5)} ${"way".padEnd(7)}` +
    ["total", "pass", "fail", "hang", "other"].map(pad).join("");
  const lines = [...groups].map(([key, { pass, fail, hang, other }]) =>
    key + [pass + fail + hang + other, pass, fail, hang, other].map(pad).join("")
  );
  return [head, ...lines].join("\n");
}
