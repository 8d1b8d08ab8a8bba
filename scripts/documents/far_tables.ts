import { farTable } from "../../bench/extract_far/far_table.ts";
import { noopName } from "../../bench/results/noop_name.ts";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { markdownTable } from "./markdown_table.ts";
import { notMeasured } from "./not_measured.ts";
import { provenance } from "./provenance.ts";

/** The article's steps with its own figures for 30 days, and which of ours they are. */
const article: readonly (readonly [step: string, figure: string, ours: readonly string[]])[] = [
  ["all rows at once", "crashes", ["load-all"]],
  ["a cursor, a file stream", "3.96 min: 1.0", ["batch-100"]],
  ["other sizes of batches", "helps, not a lot", ["batch-16", "batch-1000", "batch-5000"]],
  ["only the fields needed", "almost 1 min less: 1.3", ["projection"]],
  ["several cursors", "almost 10 s less: 1.4", [
    "partitions-2",
    "partitions-4",
    "partitions-8",
    "partitions-16",
  ]],
  ["more threads", "1.79 min in the end: 2.2", ["threads-8"]],
];

const databases = ["sqlite", "postgres", "ferretdb"];
const distancesMs = [0, 2, 10];

/** How many times as fast as one cursor each of the article's steps is, here and there. */
function besideArticle(results: ResultFile): string {
  const rows = results.rows.filter(isMeasured).filter(({ workload, runtime, contestant }) =>
    workload === "extract_far" && runtime === "node" && contestant !== noopName
  );
  const days = Math.max(...rows.map(({ params }) => Number(params.days)));
  const places = databases.flatMap((database) =>
    distancesMs.filter((delayMs) =>
      rows.some(({ params }) => params.database === database && params.delayMs === delayMs)
    ).map((delayMs) => [database, delayMs] as const)
  );
  const timeOf = (step: string, database: string, delayMs: number) =>
    rows.find(({ contestant, params }) =>
      contestant === step && params.database === database && params.delayMs === delayMs &&
      params.days === days
    )?.median;
  const shown = article.map(([step, figure, ours]) => [
    step,
    figure,
    ...places.map(([database, delayMs]) => {
      const one = timeOf("batch-100", database, delayMs);
      const ratios = ours.flatMap((name) => {
        const time = timeOf(name, database, delayMs);
        return one === undefined || time === undefined ? [] : [one / time];
      });
      if (ratios.length === 0) return "–";
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(1));
      return least === most ? least! : `${least} to ${most}`;
    }),
  ]);
  const head = [
    "step",
    "the article",
    ...places.map(([name, ms]) => name === "sqlite" ? name : `${name} ${ms} ms`),
  ];
  return markdownTable(head, shown);
}

/** The ladder on databases far away as the terminal shows it, and beside the article's figures. */
export function farTables(results: ResultFile): string {
  const text = farTable(results.rows.filter(({ workload }) => workload === "extract_far"));
  if (text === "") return notMeasured("extract_far");
  return [
    ...["```text", text, "```", "", provenance(results, "extract_far"), ""],
    "Beside the article's own figures, times as fast as one cursor of 100 with all fields, in Node:",
    ...["", besideArticle(results)],
  ].join("\n");
}
