import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { threeDigits } from "../../bench/tables/format_duration.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../bench/results/result.ts";
import { quartilesOverlap, ratioOfMedians } from "../../bench/results/statistics.ts";
import { markdownTable } from "./markdown_table.ts";
import { notMeasured } from "./not_measured.ts";
import { provenance } from "./provenance.ts";

const workload = "memory_to_null";

/** What has buffers with a mark; the others take no notice of one. */
const apis = ["web", "web_bytes", "node", "fast-webstreams", "stream_iter"];

/** From here on a difference is noticeable. */
const notable = 1.1;

type Find = (chunkKiB: number, mark: string) => MeasuredRow | undefined;

/** How much slower `one` is than `other` for each chunk; undefined where their order may be chance. */
function settledRatio(one: MeasuredRow, other: MeasuredRow): number | undefined {
  return quartilesOverlap(one, other) ? undefined : ratioOfMedians(one, other);
}

function writeRatio(one: MeasuredRow | undefined, other: MeasuredRow | undefined): string {
  if (one === undefined || other === undefined) return "–";
  const ratio = settledRatio(one, other);
  return ratio === undefined ? "same" : threeDigits(ratio);
}

/** Whether chunks smaller than the mark are the faster ones, going by every size measured. */
function judgeMark(sizes: readonly number[], find: Find): string {
  const ratios = sizes.flatMap((size) => {
    const [low, high] = [find(size, "low"), find(size, "high")];
    return low && high ? [settledRatio(low, high) ?? 1] : [];
  });
  if (ratios.length === 0) return "–";
  if (ratios.every((ratio) => ratio >= notable)) return "holds";
  return ratios.some((ratio) => ratio >= notable) ? "for some sizes" : "does not hold";
}

/** The default mark of node streams, in KiB. */
const defaultMark = 64;

/** Whether a chunk as large as the default mark costs more to hand over than smaller ones. */
function judgeInflection(bend: readonly number[], find: Find): string {
  const [large, medium] = bend.map((size) => find(size, "default"));
  if (!large || !medium) return "–";
  return (settledRatio(large, medium) ?? 1) >= notable ? "holds" : "does not hold";
}

/**
 * Says for each runtime and API whether two findings published for Node in 2017 still hold: that throughput
 * is best where a chunk is smaller than the mark, and that it bends at the default mark.
 */
export function highWaterMarkFinding(results: ResultFile, amount: string): string {
  const rows = results.rows.filter((row): row is MeasuredRow =>
    row.workload === workload && isMeasured(row) && row.params.amount === amount &&
    row.params.mode === "byte" && row.params.kind === "bytes"
  );
  const sizes = [...new Set(rows.map(({ params }) => Number(params.chunkKiB)))]
    .filter((size) => !Number.isNaN(size)).sort((one, other) => one - other);
  if (sizes.length === 0) return notMeasured(workload);
  const bend = sizes.filter((size) => size <= defaultMark).slice(-2).reverse();
  const line = (api: string, runtime: RuntimeName): string[][] => {
    const own = rows.filter((row) => row.contestant === api && row.runtime === runtime);
    if (own.length === 0) return [];
    const find: Find = (chunkKiB, mark) =>
      own.find(({ params }) => params.chunkKiB === chunkKiB && params.highWaterMark === mark);
    return [[
      `${api}, ${runtime}`,
      ...sizes.map((size) => writeRatio(find(size, "low"), find(size, "high"))),
      judgeMark(sizes, find),
      writeRatio(find(bend[0]!, "default"), find(bend[1]!, "default")),
      judgeInflection(bend, find),
    ]];
  };
  return [
    markdownTable(
      [
        "",
        ...sizes.map((size) => `${size} KiB`),
        "small chunks best",
        `${bend.join(" / ")} KiB`,
        "bends at the default",
      ],
      apis.flatMap((api) => runtimeNames.flatMap((runtime) => line(api, runtime))),
    ),
    provenance(results, workload),
  ].join("\n\n");
}
