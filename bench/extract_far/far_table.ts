import { alignColumns } from "../tables/align_columns.ts";
import { noopName } from "../results/noop_name.ts";
import { isMeasured, type MeasuredRow, type Row } from "../results/result.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { farSteps } from "./contestants.ts";

/** What a ratio at a distance of 10 ms has to come to. */
const bars = [
  {
    name: "batch-1000 is so many times as fast as batch-16",
    of: "batch-16",
    to: "batch-1000",
    atLeast: 3,
  },
  {
    name: "partitions-8 is so many times as fast as one cursor",
    of: "projection",
    to: "partitions-8",
    atLeast: 2,
  },
] as const;

/** How much more memory a month may take than a day, at every step but that which loads all. */
const mostGrowth = 1.2;

const farMs = 10;

const seconds = (row: MeasuredRow | undefined) =>
  row === undefined ? "-" : (row.median / 1000).toFixed(2);

/** The ladder on databases far away: a table for each runtime, with what is asked of it. */
export function farTable(rows: readonly Row[]): string {
  const real = rows.filter(({ contestant }) => contestant !== noopName);
  const measured = real.filter(isMeasured);
  const days = Math.max(...measured.map(({ params }) => Number(params.days)));
  const least = Math.min(...measured.map(({ params }) => Number(params.days)));
  const tables = runtimeNames.flatMap((runtime) => {
    const ours = measured.filter((row) => row.runtime === runtime);
    if (ours.length === 0) return [];
    const find = (step: string, database: string, delayMs: number, of = days) =>
      ours.find(({ contestant, params }) =>
        contestant === step && params.database === database && params.delayMs === delayMs &&
        params.days === of
      );
    const places = ["sqlite", "postgres", "ferretdb"].flatMap((database) =>
      [
        ...new Set(
          ours.filter(({ params }) => params.database === database)
            .map(({ params }) => Number(params.delayMs)),
        ),
      ].sort((one, other) => one - other)
        .map((delayMs) => ({ database, delayMs }))
    );
    const names = farSteps.map(({ name }) => name)
      .filter((name) => ours.some(({ contestant }) => contestant === name));
    const hasFailed = (step: string, database: string, delayMs: number) =>
      real.some((row) =>
        !isMeasured(row) && row.runtime === runtime && row.contestant === step &&
        row.params.database === database && row.params.delayMs === delayMs &&
        row.params.days === days
      );
    const growth = (step: string, database: string) => {
      const [one, all] = [find(step, database, farMs, least), find(step, database, farMs)];
      return one === undefined || all === undefined || least === days
        ? undefined
        : all.peakRssMiB / one.peakRssMiB;
    };
    const servers = [...new Set(places.map(({ database }) => database))]
      .filter((database) => database !== "sqlite");
    const head = [
      `${runtime} ${ours[0]!.runtimeVersion}`,
      ...places.map(({ database, delayMs }) =>
        database === "sqlite" ? "sqlite" : `${database} ${delayMs} ms`
      ),
      ...servers.map((database) => `${database} MiB, ratio`),
    ];
    const body = names.map((step) => [
      step,
      ...places.map(({ database, delayMs }) =>
        hasFailed(step, database, delayMs) ? "failed" : seconds(find(step, database, delayMs))
      ),
      ...servers.map((database) => {
        const row = find(step, database, farMs);
        const ratio = growth(step, database);
        return row === undefined
          ? "-"
          : `${row.peakRssMiB.toFixed(0)}, ${ratio === undefined ? "-" : ratio.toFixed(2)}`;
      }),
    ]);
    const verdict = (isReached: boolean) => isReached ? "" : " (missed)";
    const lines = bars.flatMap(({ name, of, to, atLeast }) => {
      const shown = servers.flatMap((database) => {
        const [slow, fast] = [find(of, database, farMs), find(to, database, farMs)];
        if (slow === undefined || fast === undefined) return [];
        const ratio = slow.median / fast.median;
        return [`${database} ${ratio.toFixed(1)}${verdict(ratio >= atLeast)}`];
      });
      return shown.length === 0 ? [] : [`${name}, at least ${atLeast}: ${shown.join(", ")}`];
    });
    const grown = servers.flatMap((database) => {
      const ratios = names.filter((step) => step !== "load-all")
        .map((step) => [step, growth(step, database)] as const)
        .filter((one): one is readonly [string, number] => one[1] !== undefined);
      const [step, most] = ratios.sort((one, other) => other[1] - one[1])[0] ?? [];
      return most === undefined
        ? []
        : [`${database} ${most.toFixed(2)} by ${step}${verdict(most <= mostGrowth)}`];
    });
    if (grown.length > 0) {
      lines.push(
        `memory of ${days} d to ${least} d, at most ${mostGrowth} but for load-all: ${
          grown.join(", ")
        }`,
      );
    }
    const failures = real.flatMap((row) =>
      isMeasured(row) || row.runtime !== runtime || row.params.days !== days ? [] : [
        `${row.contestant}, ${row.params.database} ${row.params.delayMs} ms: ` +
        row.error.replace(/^crashed: exit \d+: /, "").replaceAll(/\w+:\/\/\S+\/\S+?(?=:? )/g, "it"),
      ]
    );
    return [[...alignColumns([head, ...body]), ...lines, ...failures].join("\n")];
  });
  if (tables.length === 0) return "";
  const legend =
    `Seconds for ${days} days; ms: what a round trip takes longer. MiB: the most memory the process\n` +
    `held ${farMs} ms away; its ratio is that of ${days} days to ${least}. Lines below are at ${farMs} ms.`;
  return ["extract_far", ...tables, legend].join("\n\n");
}
