import { runtimeNames } from "../../runtimes/current_runtime.ts";
import type { Workload } from "../../bench/measure/workload.ts";

function listWorkload({ name, about, params, contestants, takesInput }: Workload): string {
  const parameters = Object.entries(params).map(([name, spec]) => {
    const values = spec.values.join(",");
    const quick = spec.quick ? `; quick: ${spec.quick.join(",")}` : "";
    return `  --param ${name}=${values}${quick}: ${spec.about}`;
  });
  const width = Math.max(0, ...contestants.map((contestant) => contestant.name.length));
  const lines = contestants.map(({ name, about, note, runtimes = runtimeNames }) => {
    const only = runtimes.length < runtimeNames.length ? ` (${runtimes.join(", ")} only)` : "";
    return `  ${name.padEnd(width)}  ${about}${only}${note === undefined ? "" : `; ${note}`}`;
  });
  const input = takesInput ? ["  --input FILE: another input than its own"] : [];
  return [`${name}: ${about}`, ...parameters, ...input, ...lines].join("\n");
}

/** Lists workloads for `--list`: their names, or in detail with their parameters and contestants. */
export function listWorkloads(workloads: readonly Workload[], isDetailed: boolean): string {
  if (!isDetailed) {
    const width = Math.max(...workloads.map(({ name }) => name.length));
    return [
      ...workloads.map(({ name, about }) => `${name.padEnd(width)}  ${about}`),
      "",
      "Parameters and contestants: deno task bench --list --workload NAME",
    ].join("\n");
  }
  return workloads.map(listWorkload).join("\n\n");
}
