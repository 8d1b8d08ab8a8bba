import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { formatDuration } from "../../../bench/tables/format_duration.ts";
import { isMeasured, type ResultFile, type Row } from "../../../bench/results/result.ts";
import { sampleCount } from "../../../bench/results/sample_count.ts";
import { isControl } from "../../../bench/results/roles.ts";
import { markdownTable } from "../markdown_table.ts";
import { provenance } from "../provenance.ts";
import { wrapProse } from "../../command_line/wrap_prose.ts";

const gibibyte = 1_048_576;

/** A column: its title, and which row of a contestant it shows. */
interface Column {
  readonly title: string;
  takes(row: Row): boolean;
}

const isFromMemory = ({ workload, params }: Row) =>
  workload === "memory_to_null" && params.amount === "1GiB" && params.highWaterMark === "default";

function columnsOf(rows: readonly Row[]): Column[] {
  const sizes = new Set(rows.filter(isFromMemory).map(({ params }) => Number(params.chunkKiB)));
  const isFile = (name: string) => ({ workload, params }: Row) =>
    workload === name && params.fileKiB === gibibyte;
  return [
    ...[...sizes].sort((one, other) => one - other).map((size) => ({
      title: `${size} KiB`,
      takes: (row: Row) => isFromMemory(row) && row.params.chunkKiB === size,
    })),
    { title: "file read", takes: isFile("file_to_null") },
    { title: "file copied", takes: isFile("file_to_file") },
    {
      title: "4,000,000 chunks",
      takes: ({ workload, params }: Row) =>
        workload === "memory_to_nothing" && params.count === 4_000_000,
    },
  ].filter(({ takes }) => rows.some(takes));
}

function cell(row: Row | undefined): string {
  if (row === undefined) return "–";
  if (!isMeasured(row)) return "refused" in row ? "refused" : "failed";
  const count = sampleCount(row);
  const reservation = count < 3 ? ` (${count === 1 ? "one run" : `${count} runs`})` : "";
  return formatDuration(row.median) + reservation;
}

/** The largest amounts of the sweeps: for each runtime a table, contestants down; below, what the file has besides. */
export function sweepTables(results: ResultFile): string {
  if (results.profile !== "sweeps") {
    return "Not measured in these results: `deno task bench --sweeps` does.";
  }
  const columns = columnsOf(results.rows);
  const tables = runtimeNames.flatMap((runtime) => {
    const own = results.rows.filter((row) =>
      row.runtime === runtime && columns.some(({ takes }) => takes(row))
    );
    if (own.length === 0) return [];
    const names = [...new Set(own.map(({ contestant }) => contestant))]
      .sort((one, other) =>
        Number(isControl(other)) - Number(isControl(one)) || (one < other ? -1 : 1)
      );
    return [markdownTable(
      [`${runtime} ${own[0]!.runtimeVersion}`, ...columns.map(({ title }) => title)],
      names.map((name) => [
        name,
        ...columns.map(({ takes }) =>
          cell(own.find((row) => row.contestant === name && takes(row)))
        ),
      ]),
    )];
  });
  const measured = results.rows.filter(isMeasured);
  const few = measured.filter((row) => sampleCount(row) < 3).length;
  const all = few === 0
    ? `each of at least ${Math.min(...measured.map(sampleCount))} samples`
    : `each of at least 3 samples but ${few}, which say so above or in the file`;
  return [
    ...tables,
    provenance(results, "memory_to_null"),
    wrapProse(
      `All ${results.rows.length} rows, with quartiles, smaller amounts and other highWaterMarks, are in ` +
        `\`bench/results/sweeps.json\`, ${all}.`,
    ),
  ].join("\n\n");
}
