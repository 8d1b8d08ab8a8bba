import { readFileSync } from "node:fs";
import {
  latencyContestants,
  type LatencyFile,
  type LatencyRound,
  loads,
  stageCounts,
} from "../../../bench/latency/latency_result.ts";
import { formatDuration, threeDigits } from "../../../bench/tables/format_duration.ts";
import { median } from "../../../bench/results/statistics.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { markdownTable } from "../markdown_table.ts";
import { wrapProse } from "../../command_line/wrap_prose.ts";

const nothing = "–";
const overflows = "overflows";

function read(): LatencyFile | undefined {
  try {
    const path = new URL("../../../bench/results/latency.json", import.meta.url);
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** For each runtime a table of its contestants; `cells` writes what their rounds came to. */
function tables(
  { rows, runtimes }: LatencyFile,
  head: readonly string[],
  cells: (rounds: readonly LatencyRound[]) => readonly string[],
): string {
  return runtimeNames.map((runtime) =>
    markdownTable(
      [`${runtime} ${runtimes[runtime]}`, ...head],
      latencyContestants.flatMap((contestant) => {
        const row = rows.find((one) => one.runtime === runtime && one.contestant === contestant);
        return row === undefined ? [] : [[contestant, ...cells(row.rounds)]];
      }),
    )
  ).join("\n\n");
}

const notMeasured = "Not measured: `deno run -A bench/latency/write_latency.ts` does.";

/** What a chunk waits at parts of the highest rate, and what it leaves on the heap. */
export function latencyTables(file: LatencyFile | undefined = read()): string {
  if (file === undefined) return notMeasured;
  const titles = loads.map((load) => `p50, p99 at ${load * 100} %`);
  const table = tables(
    file,
    ["first chunk", "most a second", ...titles, "heap a chunk"],
    (rounds) => {
      const of = (pick: (round: LatencyRound) => number) => median(rounds.map(pick));
      const bytes = rounds.flatMap(({ costs }) => costs.bytesPerChunk ?? []);
      return [
        formatDuration(of(({ waits }) => waits.firstChunkMs)),
        `${threeDigits(of(({ waits }) => waits.highestPerSecond) / 1e6)} M`,
        ...loads.map((_, index) =>
          [of(({ waits }) => waits.p50Ms[index]!), of(({ waits }) => waits.p99Ms[index]!)]
            .map(formatDuration).join(", ")
        ),
        bytes.length === 0 ? nothing : `${Math.round(median(bytes))} B`,
      ];
    },
  );
  const origin = wrapProse(
    `Medians of ${
      file.rows[0]!.rounds.length
    } rounds, each case of a round in a process of its own.`,
  );
  return `${table}\n\n${origin}`;
}

/** How the cost of a stage grows with their number. */
export function growthTables(file: LatencyFile | undefined = read()): string {
  if (file === undefined) return notMeasured;
  const titles = stageCounts.map((count) => count.toLocaleString("en"));
  return tables(file, titles, (rounds) =>
    stageCounts.map((_, index) => {
      const values = rounds.flatMap(({ costs }) => costs.nsPerStage[index] ?? []);
      return values.length === rounds.length ? formatDuration(median(values) / 1e6) : overflows;
    }));
}
