import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { threeDigits } from "../../../bench/tables/format_duration.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../../bench/results/result.ts";
import type { Chart, Panel, Variant } from "../chart.ts";
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
      head: ["peak, MiB", "at"],
      body: worst.map(({ contestant, peakRssMiB, params }) => ({
        api: contestant,
        cells: [{ text: threeDigits(peakRssMiB) }, { text: describeParams(params) || "–" }],
      })),
    },
  }];
}

/** What a case's process held at its peak, the runtime itself included; `noop` is that alone. */
export function memoryChart(
  source: ResultFile,
  workloads: readonly string[],
  orderOf: (workload: string) => readonly string[],
): Chart | undefined {
  const rows = source.rows.filter(isMeasured).filter(({ workload }) =>
    workloads.includes(workload)
  );
  if (rows.length === 0) return undefined;
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
    variants,
    failures: [],
    command: reproduceCommand(source, ...present),
    source,
  };
}
