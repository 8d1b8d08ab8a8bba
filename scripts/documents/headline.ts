import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../bench/results/result.ts";
import { importSizes } from "./import_sizes.ts";
import { bullet } from "./bullet.ts";

/** Rows to compare: of one workload, with these parameters. */
interface Case {
  readonly workload: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const hundred: Case = { workload: "copy_lines", params: { passes: 100 } };
const none: Case = { workload: "copy_lines", params: { passes: 0 } };
const realWork: Case = { workload: "real_work", params: { from: "file" } };

function matches(row: MeasuredRow, { workload, params }: Case): boolean {
  return row.workload === workload &&
    Object.entries(params).every(([name, value]) => row.params[name] === value);
}

/** Native streams at default highWaterMarks and at their best. */
const webs = ["web", "web-16"];

/** The fastest of the dividends over the divisor in each runtime of each run, ascending. */
function ratios(
  runs: readonly ResultFile[],
  one: Case,
  dividends: readonly string[],
  divisor: string,
): number[] {
  const all = runs.map(({ rows }) => rows.filter(isMeasured).filter((row) => matches(row, one)));
  return all.flatMap((measured) =>
    runtimeNames.flatMap((runtime) => {
      const median = (contestant: string) =>
        measured.find((row) => row.runtime === runtime && row.contestant === contestant)?.median;
      const above = dividends.flatMap((name) => median(name) ?? []);
      const below = median(divisor);
      return above.length === 0 || below === undefined ? [] : [Math.min(...above) / below];
    })
  ).sort((a, b) => a - b);
}

/** `56–96×`, `1.4–1.7×` or `1.5×`: rounded so that it never promises too much. */
function writeRange(values: readonly number[], round: (value: number) => number): string {
  const write = (value: number) =>
    value >= 10 ? `${round(value)}` : (round(value * 10) / 10).toFixed(1);
  const [least, most] = [write(values[0]!), write(values.at(-1)!)];
  return `**${least === most ? least : `${least}–${most}`}×**`;
}

/** Which native streams were measured. */
function nameWebs(results: readonly ResultFile[], { workload }: Case): string {
  const isAtBest = results.some(({ rows }) =>
    rows.some((row) => row.workload === workload && row.contestant === "web-16")
  );
  return `native Web Streams at ${isAtBest ? "their best" : "default"} highWaterMarks`;
}

function writeHundred(results: readonly ResultFile[]): string[] {
  const overWeb = ratios(results, hundred, webs, "pipeline");
  if (overWeb.length === 0) return [];
  return [
    `100 stages that do nothing, between two files: ${
      writeRange(overWeb, Math.floor)
    } the speed of ${nameWebs(results, hundred)}`,
  ];
}

function writeRealWork(results: readonly ResultFile[]): string[] {
  const [overWeb, overNode] = [
    ratios(results, realWork, webs, "pipeline"),
    ratios(results, realWork, ["node"], "pipeline"),
  ];
  if (overWeb.length > 0 && overNode.length > 0) {
    return [
      `Filtering a file of JSON lines in five stages: ${
        writeRange(overWeb, Math.floor)
      } the speed of ${nameWebs(results, realWork)}, ${
        writeRange(overNode, Math.floor)
      } that of \`node:stream\``,
    ];
  }
  const overHand = ratios(results, none, ["pipeline"], "hand");
  if (overHand.length === 0) return [];
  return [
    `Without stages: ${writeRange(overHand, Math.ceil)} the time of a hand-written loop`,
  ];
}

function writeSize(): string {
  const [, size] = /^\| `pipeline, map` +\| +[\d.]+ KiB +\| +([\d.]+ KiB) +\|$/m.exec(importSizes)!;
  return `**${size}** gzipped for \`pipeline\` and \`map\`, and no dependency`;
}

/** The three figures that the README begins with. */
export function headline(results: readonly ResultFile[]): string {
  return [...writeRealWork(results), ...writeHundred(results), writeSize()]
    .map((text) => bullet(text)).join("\n");
}
