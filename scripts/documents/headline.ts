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

/** Dividend over divisor in each runtime of each run, ascending. */
function ratios(
  runs: readonly ResultFile[],
  one: Case,
  dividend: string,
  divisor: string,
): number[] {
  const all = runs.map(({ rows }) => rows.filter(isMeasured).filter((row) => matches(row, one)));
  return all.flatMap((measured) =>
    runtimeNames.flatMap((runtime) => {
      const median = (contestant: string) =>
        measured.find((row) => row.runtime === runtime && row.contestant === contestant)?.median;
      const [above, below] = [median(dividend), median(divisor)];
      return above === undefined || below === undefined ? [] : [above / below];
    })
  ).sort((a, b) => a - b);
}

/** `56 to 96`, `1.4 to 1.7` or `1.5`: rounded so that it never flatters. */
function writeRange(values: readonly number[], round: (value: number) => number): string {
  const write = (value: number) =>
    value >= 10 ? `${round(value)}` : (round(value * 10) / 10).toFixed(1);
  const [least, most] = [write(values[0]!), write(values.at(-1)!)];
  return least === most ? least : `${least} to ${most}`;
}

function writeHundred(results: readonly ResultFile[]): string[] {
  const overWeb = ratios(results, hundred, "web", "pipeline");
  if (overWeb.length === 0) return [];
  return [
    `**${
      writeRange(overWeb, Math.floor)
    } times as fast** as native Web Streams, with 100 stages between two files`,
  ];
}

function writeRealWork(results: readonly ResultFile[]): string[] {
  const [overWeb, overNode] = [
    ratios(results, realWork, "web", "pipeline"),
    ratios(results, realWork, "node", "pipeline"),
  ];
  if (overWeb.length > 0 && overNode.length > 0) {
    return [
      `**${writeRange(overWeb, Math.floor)} times as fast** as Web Streams and **${
        writeRange(overNode, Math.floor)
      } times** as Node's at filtering a file of JSON lines`,
    ];
  }
  const overHand = ratios(results, none, "pipeline", "hand");
  if (overHand.length === 0) return [];
  return [
    `**${writeRange(overHand, Math.ceil)} times** the time of a hand-written loop, without them`,
  ];
}

function writeSize(): string {
  const [, size] = /^\| `pipeline, map` +\| +[\d.]+ KiB +\| +([\d.]+ KiB) +\|$/m.exec(importSizes)!;
  return `**${size}** gzipped for \`pipeline\` and \`map\`, and no dependency`;
}

/** The three figures that the README begins with. */
export function headline(results: readonly ResultFile[]): string {
  return [...writeHundred(results), ...writeRealWork(results), writeSize()]
    .map(bullet).join("\n");
}
