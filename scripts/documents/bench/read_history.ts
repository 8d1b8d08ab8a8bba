import { readdirSync, readFileSync } from "node:fs";
import type { ResultFile, Row } from "../../../bench/results/result.ts";
import { isMeasured, type MeasuredRow } from "../../../bench/results/result.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";

/** One version of a runtime, and what was measured in it. */
export interface HistoryEntry {
  readonly runtime: Row["runtime"];
  readonly version: string;
  readonly rows: readonly MeasuredRow[];
}

const folder = new URL("../../../bench/results/history/", import.meta.url);

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** What `bench/results/history` holds: older versions of a runtime first. */
export function readHistory(): readonly HistoryEntry[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
  const entries = names.flatMap((name) => {
    const { rows } = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as ResultFile;
    const measured = rows.filter(isMeasured);
    const [first] = measured;
    if (first === undefined) return [];
    return [{ runtime: first.runtime, version: first.runtimeVersion, rows: measured }];
  });
  return entries.sort((one, other) =>
    runtimeNames.indexOf(one.runtime) - runtimeNames.indexOf(other.runtime) ||
    compareVersions(one.version, other.version)
  );
}
