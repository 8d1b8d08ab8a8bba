import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { noopName } from "../../bench/results/noop_name.ts";
import type { ResultFile, Row } from "../../bench/results/result.ts";

const flags: Record<string, string> = { quick: " --quick", full: " --full" };

function params(rows: readonly Row[]): string[] {
  const names = new Set(rows.flatMap(({ params }) => Object.keys(params)));
  return [...names].sort().map((name) => {
    const values = new Set(rows.map(({ params }) => params[name]).filter((v) => v !== undefined));
    const sorted = [...values].sort((one, other) => Number(one) - Number(other));
    return ` --param ${name}=${sorted.join(",")}`;
  });
}

/**
 * The command that measures workloads as these results did: in the same runtimes and order, and, if
 * it is one workload, with the same values; of several, each takes its profile's.
 */
export function reproduceCommand(
  { rows, profile, seed }: ResultFile,
  ...workloads: readonly string[]
): string {
  const own = rows.filter(({ workload }) => workloads.includes(workload));
  const runtimes = runtimeNames.filter((name) => own.some(({ runtime }) => runtime === name));
  const runtime = runtimes.length < runtimeNames.length ? ` --runtime ${runtimes.join(",")}` : "";
  const values = workloads.length > 1
    ? []
    : params(own.filter(({ contestant }) => contestant !== noopName));
  return `deno task bench --workload ${workloads.join(",")}${runtime}${flags[profile] ?? ""}` +
    `${values.join("")} --seed ${seed}`;
}
