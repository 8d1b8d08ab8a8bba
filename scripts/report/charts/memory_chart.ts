import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { threeDigits } from "../../../bench/tables/format_duration.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../../bench/results/result.ts";
import type { Chart, Panel, Variant } from "../chart.ts";
import { chooseFew } from "../choose_few.ts";
import { reproduceCommand } from "../reproduce_command.ts";

/** The row with the highest peak of each contestant: what it may need at worst. */
function worstRows(rows: readonly MeasuredRow[]): MeasuredRow[] {
  return [...Map.groupBy(rows, ({ contestant }) => contestant).values()].map((own) =>
    own.reduce((worst, row) => row.peakRssMiB > worst.peakRssMiB ? row : worst)
  );
}

function panel(runtime: string, rows: readonly MeasuredRow[], apis: readonly string[]): Panel[] {
  if (rows.length === 0) return [];
  const worst = worstRows(rows).sort((one, other) =>
    apis.indexOf(one.contestant) - apis.indexOf(other.contestant)
  );
  return [{
    runtime,
    heading: `${runtime} ${rows[0]!.runtimeVersion}`,
    points: worst.map(({ contestant, peakRssMiB, params }) => ({
      api: contestant,
      at: contestant,
      value: peakRssMiB,
      low: peakRssMiB,
      high: peakRssMiB,
      text: [`${threeDigits(peakRssMiB)} MiB`, describeParams(params)].filter(Boolean).join(" at "),
    })),
    table: {
      head: ["peak, MiB"],
      groups: [{
        heading: "",
        rows: worst.map(({ contestant, peakRssMiB, params }) => {
          const at = describeParams(params);
          const details = at === "" ? [] : [`at ${at}`];
          return { api: contestant, cells: [{ text: threeDigits(peakRssMiB), details }] };
        }),
      }],
    },
  }];
}

/** How {@linkcode memoryChart} chooses and orders. */
export interface MemoryChartOptions {
  /** The contestants of a workload, in their order. */
  readonly orderOf: (workload: string) => readonly string[];
  /** Whether every contestant is shown, not a few of each workload. */
  readonly isAll: boolean;
}

/** What a case's process held at its peak, the runtime itself included; `noop` is that alone. */
export function memoryChart(
  source: ResultFile,
  workloads: readonly string[],
  { orderOf, isAll }: MemoryChartOptions,
): Chart | undefined {
  const all = source.rows.filter(isMeasured).filter(({ workload }) => workloads.includes(workload));
  if (all.length === 0) return undefined;
  const chosen = (workload: string) => {
    const own = all.filter((row) => row.workload === workload);
    const names = new Set(own.map(({ contestant }) => contestant));
    const order = [...new Set([...orderOf(workload), ...names])];
    return chooseFew(order.filter((name) => names.has(name) && name !== noopName), own);
  };
  const few = new Map(workloads.map((workload) => [workload, chosen(workload)]));
  const rows = all.filter(({ workload, contestant }) =>
    isAll || contestant === noopName || few.get(workload)!.includes(contestant)
  );
  const present = workloads.filter((name) => rows.some(({ workload }) => workload === name));
  const names = new Set(rows.map(({ contestant }) => contestant));
  const order = [noopName, ...present.flatMap(orderOf), ...names];
  const apis = [...new Set(order)].filter((name) => names.has(name));
  const variants = present.map((workload): Variant => ({
    name: workload,
    groups: [{
      heading: "",
      panels: runtimeNames.flatMap((runtime) =>
        panel(
          runtime,
          rows.filter((row) => row.workload === workload && row.runtime === runtime),
          apis,
        )
      ),
    }],
  }));
  return {
    id: "memory",
    title: "Memory: the most that a process ever held",
    about: "Peak resident set of a case's process, at the parameters where it was highest. " +
      "The runtime itself is in it: noop is a process that does nothing else.",
    kind: "dots",
    position: { title: "", scale: "category", values: apis },
    value: { title: "peak resident set, MiB", scale: "linear" },
    apis,
    left: [...new Set(all.map(({ contestant }) => contestant))].filter((name) => !names.has(name)),
    variants,
    failures: [],
    command: reproduceCommand(source, ...present),
    source,
  };
}
