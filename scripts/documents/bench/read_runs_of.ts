import { readFileSync } from "node:fs";
import type { ResultFile } from "../../../bench/results/result.ts";

/** The runs in `bench/results/NAME.json`, which were published by themselves; undefined if there are none. */
export function readRunsOf(name: string): readonly ResultFile[] | undefined {
  const path = new URL(`../../../bench/results/${name}.json`, import.meta.url);
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { runs: readonly ResultFile[] }).runs;
  } catch {
    return undefined;
  }
}
