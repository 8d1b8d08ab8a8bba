import { compareResults, type Control } from "../bench/results/compare.ts";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { renderComparison } from "../bench/tables/render_comparison.ts";
import type { ResultFile } from "../bench/results/result.ts";
import {
  type FlagSpec,
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../scenarios/command_line/parse_command_line.ts";
import { loadRegistry } from "../bench/measure/registry.ts";
import type { Workload } from "../bench/measure/workload.ts";
import { type NeedsOf, runCommand } from "../scenarios/command_line/run_command.ts";

/** Which contestant is a workload's control, or why it has none; of an unknown workload `hand`. */
export function controlOf(workloads: readonly Workload[]): (workload: string) => Control {
  return (name) => {
    const { control = "hand", whyNoControl } = workloads.find((one) => one.name === name) ?? {};
    return whyNoControl === undefined ? { contestant: control } : { whyNone: whyNoControl };
  };
}

/** How much slower is too slow, in percent, unless `--threshold` says otherwise. */
export const defaultThreshold = 10;

/** The flag `--threshold`, which `deno task bench --compare` shares. */
export const thresholdFlag = {
  kind: "integer",
  about: `how many percent slower a case may be; default: ${defaultThreshold}`,
  maximum: 10_000,
} as const satisfies FlagSpec;

/**
 * Prints how `fresh` compares with `old`; returns 3 if a case got slower beyond the threshold, or 4 if the
 * machine changed, so that verdicts are withheld.
 *
 * @throws {UsageError} If they have no case in common.
 */
export function printComparison(
  old: ResultFile,
  fresh: ResultFile,
  percent: number = defaultThreshold,
  controlOf?: (workload: string) => Control,
): number {
  const comparison = compareResults(old, fresh, percent / 100, controlOf);
  if (comparison.cases.length === 0) throw new UsageError("The files have no case in common");
  console.log(renderComparison(comparison, old, fresh, percent / 100));
  if (comparison.cases.some(({ verdict }) => verdict === "regressed")) return 3;
  return comparison.controls.some(({ hasMoved }) => hasMoved) ? 4 : 0;
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task dev compare",
    about: "Compares two result files case by case, without measuring: new over old, with the\n" +
      "95 % bootstrap interval of the ratio of medians. faster, slower: the interval lies wholly\n" +
      "below or above 1. slower beyond the threshold: wholly above 1 plus the threshold, or failed\n" +
      "now; then it exits 3. If the interval of a workload's control lies wholly outside 0.9 to\n" +
      "1.1, the machine itself has changed: there is no verdict, and it exits 4. Without a control\n" +
      "it says that the machine was not checked.",
    positional: "OLD.json NEW.json",
    flags: { threshold: thresholdFlag },
    examples: [
      "deno task dev compare bench/results/published.json bench/results/latest.json",
      "deno task dev compare old.json new.json --threshold 5",
    ],
  });
  if (flags._.length !== 2) {
    throw new UsageError(
      `deno task dev compare takes two files, OLD.json NEW.json, got ${flags._.length}`,
    );
  }
  return { ...flags, paths: flags._.map(resolvePath) };
}

/** What the command needs. */
export const compareNeeds: NeedsOf = (args) => ({ needs: { read: readFlags(args).paths } });

/** The command `deno task dev compare`; returns its exit code. */
export async function compare(args: readonly string[]): Promise<number> {
  const flags = readFlags(args);
  const [old, fresh] = await Promise.all(flags.paths.map(readResultFile));
  const registry = await loadRegistry(new URL("../bench/workloads.ts", import.meta.url).href);
  const names = new Set(fresh!.rows.map(({ workload }) => workload));
  const workloads = await Promise.all(
    [...names].flatMap((name) => Object.hasOwn(registry, name) ? [registry[name]!()] : []),
  );
  return printComparison(old!, fresh!, flags.threshold, controlOf(workloads));
}

if (import.meta.main) await runCommand(compare);
