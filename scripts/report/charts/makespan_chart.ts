import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { formatDuration, threeDigits } from "../../../bench/tables/format_duration.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import {
  isMeasured,
  type MeasuredRow,
  type ResultFile,
  type Row,
} from "../../../bench/results/result.ts";
import type { Cell, Chart, Mark, Panel } from "../chart.ts";
import { reproduceCommand } from "../reproduce_command.ts";

const workload = "concurrency";

/** What a row of the workload carries: times in milliseconds on the article's scale. */
interface Makespan {
  readonly makespan: number;
  readonly bound: number;
  readonly articleSeconds: number;
  readonly mean: number;
  readonly most: number;
}

function makespanOf({ extra = {}, median }: MeasuredRow): Makespan {
  const speedup = Number(extra.speedup ?? 1);
  return {
    makespan: Number(extra.makespan ?? median) * speedup,
    bound: Number(extra.bound) * speedup,
    articleSeconds: Number(extra.articleSeconds),
    mean: Number(extra.meanInFlight),
    most: Number(extra.maxInFlight),
  };
}

function cells(row: Row): Cell[] {
  if (!isMeasured(row)) return [{ text: "failed" }, { text: "–" }];
  const { makespan, bound, mean, most } = makespanOf(row);
  return [
    { text: formatDuration(makespan), details: [`${threeDigits(makespan / bound)}x the bound`] },
    { text: `${threeDigits(mean)}, at most ${most}` },
  ];
}

/** What is the same for all that do a run. */
function headingOf(run: string, rows: readonly Row[]): string {
  const first = rows.find(isMeasured);
  if (first === undefined) return `run ${run}`;
  const { bound, articleSeconds } = makespanOf(first);
  return `run ${run}: bound ${formatDuration(bound)}, article ${articleSeconds} s`;
}

function marks(rows: readonly MeasuredRow[]): Mark[] {
  const seen = new Map<string, Mark>();
  for (const row of rows) {
    const { bound } = makespanOf(row);
    const at = String(row.params.run);
    if (bound > 0) {
      seen.set(at, { at, value: bound / 1000, text: `bound: ${formatDuration(bound)}` });
    }
  }
  return [...seen.values()];
}

function panel(runtime: string, rows: readonly Row[]): Panel[] {
  if (rows.length === 0) return [];
  const measured = rows.filter(isMeasured);
  return [{
    runtime,
    heading: `${runtime} ${rows[0]!.runtimeVersion}`,
    marks: marks(measured),
    points: measured.map((row) => {
      const { makespan, bound } = makespanOf(row);
      return {
        api: row.contestant,
        at: String(row.params.run),
        ...{ value: makespan / 1000, low: makespan / 1000, high: makespan / 1000 },
        text: `run ${row.params.run}: ${formatDuration(makespan)}, ` +
          `${threeDigits(makespan / bound)}x the bound`,
      };
    }),
    table: {
      head: ["makespan", "in flight"],
      groups: [...Map.groupBy(rows, ({ params }) => String(params.run))].map(([run, members]) => ({
        heading: headingOf(run, members),
        rows: members.map((row) => ({ api: row.contestant, cells: cells(row) })),
      })),
    },
  }];
}

/** How long slow writes took, several at a time, beside the best schedule of the same delays. */
export function makespanChart(source: ResultFile): Chart {
  const rows = source.rows
    .filter((row) => row.workload === workload && row.contestant !== noopName)
    .sort((one, other) => String(one.params.run).localeCompare(String(other.params.run), "en"));
  const apis = ["web", "node"];
  for (const { contestant } of rows) if (!apis.includes(contestant)) apis.push(contestant);
  return {
    id: workload,
    title: "concurrency: makespan against bound",
    about: "Slow writes, several at a time: how long a run took, on the article's scale. The " +
      "upright line is the bound, a greedy schedule of the same delays. Runs 5.x let the next " +
      "write in after the last one started, runs 6.x after any of them.",
    kind: "dots",
    position: {
      title: "run",
      scale: "category",
      values: [...new Set(rows.map(({ params }) => String(params.run)))],
    },
    value: { title: "makespan", scale: "log", unit: "s" },
    apis: apis.filter((name) => rows.some(({ contestant }) => contestant === name)),
    variants: [{
      name: "",
      groups: [{
        heading: "",
        panels: runtimeNames.flatMap((name) =>
          panel(name, rows.filter(({ runtime }) => runtime === name))
        ),
      }],
    }],
    failures: rows.filter((row) => !isMeasured(row)),
    command: reproduceCommand(source, workload),
    source,
  };
}
