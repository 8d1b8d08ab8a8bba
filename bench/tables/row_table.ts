import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import {
  describeParams,
  isMeasured,
  type MeasuredRow,
  noopName,
  type Params,
  type Row,
} from "../results/result.ts";

const units = [["ns", 1e-6], ["µs", 1e-3], ["ms", 1], ["s", 1e3]] as const;

/** Three significant digits, never in exponents, so that columns of them line up. */
export function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** Writes a duration in the unit that suits it, such as `12.3 ms` or `1.07 s`. */
export function formatDuration(milliseconds: number): string {
  // Half a digit of slack: 999.9 µs must become 1.00 ms and not 1000 µs.
  const [unit, size] = units.findLast(([, size]) => milliseconds >= size * 0.9995) ?? units[0];
  return `${threeDigits(milliseconds / size)} ${unit}`;
}

/** Breaks a line between words, what follows indented by two, so that none is longer than `width`. */
export function wrapText(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const at = line.lastIndexOf(" ", width);
  // A word longer than the line stays whole: half a path is of no use.
  const end = at > 2 ? at : line.indexOf(" ", width);
  if (end === -1) return [line];
  return [line.slice(0, end).trimEnd(), ...wrapText(`  ${line.slice(end + 1).trimStart()}`, width)];
}

/** The rows of one table: one workload at one combination of parameters. */
export interface RowTable {
  readonly workload: string;
  readonly params: Params;
  /** From top to bottom: as the workload lists them, and `noop` above all. */
  readonly contestants: readonly string[];
  readonly runtimes: readonly { readonly name: RuntimeName; readonly version: string }[];
  /** What the others of a runtime are compared with: `pipeline`, or the fastest; never another runtime's. */
  base(runtime: RuntimeName): MeasuredRow | undefined;
  row(contestant: string, runtime: RuntimeName): Row | undefined;
}

function compareParams(one: Params, other: Params): number {
  for (const name of Object.keys(one).sort()) {
    const [left, right] = [one[name]!, other[name]!];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    return String(left) < String(right) ? -1 : 1;
  }
  return 0;
}

/**
 * Sorts rows into tables: by workload, then by parameters; `noop` stands in each of its workload's.
 *
 * @param order In what order contestants are shown; those it does not name come last.
 */
export function rowTables(
  rows: readonly Row[],
  order: (workload: string) => readonly string[],
): RowTable[] {
  const [noops, others] = [
    rows.filter(({ contestant }) => contestant === noopName),
    rows.filter(({ contestant }) => contestant !== noopName),
  ];
  const groups = Map.groupBy(
    others,
    ({ workload, params }) => `${workload} ${describeParams(params)}`,
  );
  const tables = [...groups.values()].map((group): RowTable => {
    const { workload, params } = group[0]!;
    const all = [...noops.filter((row) => row.workload === workload), ...group];
    const present = new Set(all.map(({ contestant }) => contestant));
    const measured = group.filter(isMeasured);
    return {
      workload,
      params,
      contestants: [...new Set([noopName, ...order(workload), ...present])]
        .filter((name) => present.has(name)),
      runtimes: runtimeNames.flatMap((name) => {
        const row = all.find(({ runtime }) => runtime === name);
        return row ? [{ name, version: row.runtimeVersion }] : [];
      }),
      base(runtime) {
        const own = measured.filter((row) => row.runtime === runtime);
        return own.find(({ contestant }) => contestant === "pipeline") ??
          own.reduce<MeasuredRow | undefined>(
            (best, row) => best === undefined || row.median < best.median ? row : best,
            undefined,
          );
      },
      row: (contestant, runtime) =>
        all.find((row) => row.contestant === contestant && row.runtime === runtime),
    };
  });
  const names = [...new Set(rows.map(({ workload }) => workload))].sort();
  return tables.sort((one, other) =>
    names.indexOf(one.workload) - names.indexOf(other.workload) ||
    compareParams(one.params, other.params)
  );
}
