import type { ResultFile } from "../../../bench/results/result.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import type { Chart } from "../chart.ts";
import { makespanChart } from "./makespan_chart.ts";
import { workloadChart, type WorkloadChartOptions } from "./workload_chart.ts";

type Presentation = Omit<WorkloadChartOptions, "workload" | "order" | "isAll">;

/** The workloads that every report speaks of, in its order; `concurrency` has a chart of its own. */
export const expectedWorkloads = ["copy_lines", "passthrough", "memory_to_null", "concurrency"];

const presentations: Readonly<Record<string, Presentation>> = {
  copy_lines: {
    title: "copy_lines: time against passes",
    about: "The same job with ever more stages that do nothing: what a longer pipeline costs.",
    measure: "time",
    along: { param: "passes", title: "do-nothing stages", scale: "symlog" },
  },
  passthrough: {
    title: "passthrough: time per chunk against stages",
    about: "One chunk in memory, again and again, through stages that do nothing.",
    measure: "time per chunk",
    along: { param: "stages", title: "do-nothing stages", scale: "symlog" },
  },
  memory_to_null: {
    title: "memory_to_null: time per chunk against chunk size",
    about: "One chunk in memory, again and again, straight to a sink that counts, for each " +
      "highWaterMark.",
    measure: "time per chunk",
    along: { param: "chunkKiB", title: "chunk, KiB", scale: "log" },
    group: "highWaterMark",
  },
};

/** How to show a workload without a chart of its own: along the number that takes most values. */
function presentationOf(source: ResultFile, workload: string, about: string): Presentation {
  const rows = source.rows.filter((row) =>
    row.workload === workload && row.contestant !== noopName
  );
  const known = presentations[workload];
  if (known !== undefined) {
    const { along, ...rest } = known;
    const values = new Set(rows.map(({ params }) => along && params[along.param]));
    // Of one value there is no line to draw.
    return values.size > 1 ? known : rest;
  }
  const params = new Set(rows.flatMap(({ params }) => Object.keys(params)));
  const numbers = [...params].flatMap((param) => {
    const values = new Set(rows.map(({ params }) => params[param]));
    const isNumber = [...values].every((value) => typeof value === "number" && value >= 0);
    return isNumber && values.size > 1 ? [{ param, values }] : [];
  }).sort((one, other) => other.values.size - one.values.size);
  const [longest] = numbers;
  return {
    title: longest === undefined
      ? `${workload}: time`
      : `${workload}: time against ${longest.param}`,
    about: about === "" ? "" : `${about[0]!.toUpperCase()}${about.slice(1)}.`,
    measure: "time",
    ...(longest === undefined ? {} : {
      along: {
        param: longest.param,
        title: longest.param,
        scale: longest.values.has(0) ? "symlog" : "log",
      },
    }),
  };
}

/** What the bench says of its workloads. */
export interface WorkloadNotes {
  about(workload: string): string;
  order(workload: string): readonly string[];
}

/** The chart of a workload; the results must have rows of it. */
export function resultChart(
  source: ResultFile,
  workload: string,
  { about, order }: WorkloadNotes,
  isAll: boolean,
): Chart {
  if (workload === "concurrency") return makespanChart(source);
  return workloadChart(source, {
    ...presentationOf(source, workload, about(workload)),
    workload,
    order: order(workload),
    isAll,
  });
}
