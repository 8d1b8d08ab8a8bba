import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Fact } from "./probe.ts";
import type { Facts } from "./probes.ts";
import type { Measured } from "./measured.ts";

/** Why a fact may be another than the table says. */
export interface Explanation {
  /** The fact that it explains; null: the fact is gone. */
  readonly measured: Fact | null;
  readonly because: string;
}

/** A committed table of facts. */
export interface ExpectedTable {
  readonly runtime: RuntimeName;
  readonly version: string;
  /** By the place of the fact, such as `no-writer / 5 node / read`. */
  readonly explanations: Readonly<Record<string, Explanation>>;
  readonly facts: Facts;
}

/** The folder of the committed tables. */
const expectedFolder: URL = new URL(
  "../../tests/scenarios/semantics/expected/",
  import.meta.url,
);

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** Which of some versions stands for another: itself, the newest of the same minor, the newest. */
export function closestVersion(versions: readonly string[], wanted: string): string | undefined {
  if (versions.includes(wanted)) return wanted;
  const sorted = [...versions].sort(byVersion);
  const minor = wanted.split(".").slice(0, 2).join(".");
  return sorted.findLast((version) => version.startsWith(`${minor}.`)) ?? sorted.at(-1);
}

export function listVersions(name: RuntimeName, folder: URL = expectedFolder): string[] {
  return readdirSync(folder).flatMap((file) =>
    file.startsWith(`${name}-`) && file.endsWith(".json")
      ? file.slice(name.length + 1, -".json".length)
      : []
  ).sort(byVersion);
}

/**
 * Reads the table of a runtime's version, or the one closest to it; without a version the newest.
 *
 * @throws {Error} If the runtime has no table at all.
 */
export function readExpected(
  name: RuntimeName,
  version = "",
  folder: URL = expectedFolder,
): ExpectedTable {
  const closest = closestVersion(listVersions(name, folder), version);
  if (closest === undefined) {
    throw new Error(`Cannot compare ${name} ${version}: there is no expected table of ${name}`);
  }
  return JSON.parse(readFileSync(new URL(`${name}-${closest}.json`, folder), "utf8"));
}

/** Makes what was measured the expected table of its version; nothing is left to explain then. */
export function writeExpected(
  { name, version, facts }: Measured,
  folder: URL = expectedFolder,
): URL {
  const file = new URL(`${name}-${version}.json`, folder);
  const table: ExpectedTable = { runtime: name, version, explanations: {}, facts };
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
  return file;
}
