import { compareResults } from "../bench/results/compare.ts";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { renderComparison } from "../bench/tables/render_comparison.ts";
import type { ResultFile } from "../bench/results/result.ts";
import { type FlagSpec, parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";

/** How much slower is too slow, in percent, unless `--threshold` says otherwise. */
export const defaultThreshold = 10;

/** The flag `--threshold`, which `deno task bench --compare` shares. */
export const thresholdFlag = {
  kind: "integer",
  about: `percent slower that is too slow; default: ${defaultThreshold}`,
  maximum: 10_000,
} as const satisfies FlagSpec;

/** Prints how `fresh` compares with `old`; returns 3 if a case got worse beyond the threshold. */
export function printComparison(
  old: ResultFile,
  fresh: ResultFile,
  percent: number = defaultThreshold,
): number {
  const comparison = compareResults(old, fresh, percent / 100);
  console.log(renderComparison(comparison, old, fresh, percent / 100));
  return comparison.cases.some(({ verdict }) => verdict === "regressed") ? 3 : 0;
}

/** The command `deno task compare`; returns its exit code. */
export async function compare(args: readonly string[]): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task compare",
    about: "Compares two result files case by case, without measuring: new over old, with the\n" +
      "95 % bootstrap interval of the ratio of medians. better and worse: the interval lies\n" +
      "wholly below or above 1. WORSE: wholly above 1 plus the threshold, or failed now; then the\n" +
      "exit code is 3. To measure and compare in one go: deno task bench --compare OLD.json.",
    positional: "OLD.json NEW.json",
    flags: { threshold: thresholdFlag },
  });
  if (flags._.length !== 2) {
    throw new UsageError(
      `deno task compare takes two files, OLD.json NEW.json, got ${flags._.length}`,
    );
  }
  const [old, fresh] = await Promise.all(flags._.map((path) => readResultFile(resolvePath(path))));
  return printComparison(old!, fresh!, flags.threshold);
}

if (import.meta.main) await runCommand(compare);
