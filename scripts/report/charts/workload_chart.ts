import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import { isMeasured, type ResultFile, type Row } from "../../../bench/results/result.ts";
import type { ParamValue } from "../../../bench/results/params.ts";
import type { Axis, Cell, Chart, Panel, PanelGroup, TableGroup, Variant } from "../chart.ts";
import { chooseFew } from "../choose_few.ts";
import { cellsHead, cellsOf, type Measure, measureAxis, pointOf } from "../measures.ts";
import { reproduceCommand } from "../reproduce_command.ts";

/** How a workload is shown. */
export interface WorkloadChartOptions {
  readonly workload: string;
  readonly title: string;
  readonly about: string;
  readonly measure: Measure;
  /** The parameter along which values lie; without one, a contestant has one value. */
  readonly along?: {
    readonly param: string;
    readonly title: string;
    readonly scale: "log" | "symlog";
  };
  /** The parameter whose values stand below each other. */
  readonly group?: string;
  /** The order of contestants. */
  readonly order: readonly string[];
  /** Whether every contestant is shown, not a few. */
  readonly isAll: boolean;
}

function byParam(rows: readonly Row[], name: string): [ParamValue | undefined, Row[]][] {
  return [...Map.groupBy(rows, ({ params }) => params[name])];
}

function without({ params }: Row, names: readonly (string | undefined)[]): string {
  return describeParams(
    Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name))),
  );
}

function cells(row: Row, measure: Measure): readonly Cell[] {
  if (isMeasured(row)) return cellsOf(row, measure);
  return ["failed", "–", "–"].map((text) => ({ text }));
}

/** The panels of one set of parameters: a runtime each. */
function panels(
  rows: readonly Row[],
  apis: readonly string[],
  { along, measure }: WorkloadChartOptions,
): Panel[] {
  return runtimeNames.flatMap((runtime) => {
    const own = rows.filter((row) => row.runtime === runtime);
    if (own.length === 0) return [];
    const positions = along === undefined
      ? []
      : [...new Set(own.map(({ params }) => Number(params[along.param])))].sort((a, b) => a - b);
    const group = (heading: string, members: readonly Row[]): TableGroup => ({
      heading,
      rows: apis.flatMap((api) => {
        const row = members.find(({ contestant }) => contestant === api);
        return row === undefined ? [] : [{ api, cells: cells(row, measure) }];
      }),
    });
    return [{
      runtime,
      heading: `${runtime} ${own[0]!.runtimeVersion}`,
      points: own.filter(isMeasured).map((row) =>
        pointOf(row, along ? Number(row.params[along.param]) : row.contestant, measure)
      ).sort((one, other) => Number(one.at) - Number(other.at)),
      table: {
        head: cellsHead(measure),
        groups: along === undefined ? [group("", own)] : positions.map((at) =>
          group(
            `${along.title}: ${at}`,
            own.filter(({ params }) => Number(params[along.param]) === at),
          )
        ),
      },
    }];
  });
}

function position(rows: readonly Row[], apis: string[], { along }: WorkloadChartOptions): Axis {
  if (along === undefined) return { title: "", scale: "category", values: apis };
  const values = new Set(rows.map(({ params }) => Number(params[along.param])));
  return {
    title: along.title,
    scale: along.scale,
    values: [...values].sort((a, b) => a - b),
  };
}

/** A chart of one workload: a panel for each runtime, a line or a dot for each contestant. */
export function workloadChart(source: ResultFile, options: WorkloadChartOptions): Chart {
  const { workload, title, about, along, group, order, isAll } = options;
  const all = source.rows.filter((row) => row.workload === workload && row.contestant !== noopName);
  const names = new Set(all.map(({ contestant }) => contestant));
  const present = [...new Set([...order, ...names])].filter((name) => names.has(name));
  const apis = isAll ? present : chooseFew(present, all);
  const rows = all.filter(({ contestant }) => apis.includes(contestant));
  const variants = [
    ...Map.groupBy(rows, (row) => without(row, [along?.param, group])),
  ].map(([name, members]): Variant => ({
    name,
    groups: (group === undefined ? [[undefined, members] as const] : byParam(members, group))
      .map(([value, some]): PanelGroup => ({
        heading: value === undefined ? "" : `${group}=${value}`,
        panels: panels(some, apis, options),
      })),
  }));
  return {
    id: workload,
    title,
    about: variants.length === 1 && variants[0]!.name !== ""
      ? `${about} Everywhere ${variants[0]!.name}.`
      : about,
    kind: along === undefined ? "dots" : "lines",
    position: position(rows, apis, options),
    value: measureAxis(options.measure),
    apis,
    left: present.filter((name) => !apis.includes(name)),
    variants: variants.sort((one, other) => one.name < other.name ? -1 : 1),
    failures: all.filter((row) => !isMeasured(row)),
    command: reproduceCommand(source, workload),
    source,
  };
}
