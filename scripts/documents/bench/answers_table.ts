import { othersRows } from "../../../bench/others/rows.ts";
import { bestOverBestRange, ratioRange } from "../../../bench/results/ranges.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { markdownTable } from "../markdown_table.ts";
import { notMeasured } from "../not_measured.ts";
import { readRunsOf } from "./read_runs_of.ts";
import { runsProvenance } from "./runs_provenance.ts";
import { writeRatioRange } from "./write_range.ts";

const nothing = "–";

/** Rows of others that show what a chain costs by its length, and what a batch of an array brings. */
const chains = [
  ["no stage", "vercel-pipe-to"],
  ["one stage that does nothing", "vercel-transform"],
  ["three", "vercel-3-transforms"],
  ["eight", "vercel-8-transforms"],
  ["one that copies 64 KiB", "iter-transform"],
  ["an array in memory, three stages", "new-3-transforms"],
] as const;

const answers = ["node", "stream_iter", "fast-webstreams", "new-streams"] as const;

/** How many times as long as `pipeline` each answer takes for a chain, in Node. */
export function answersTable(
  runs: readonly ResultFile[] | undefined = readRunsOf("others"),
): string {
  if (runs === undefined) return notMeasured("others");
  const query = (contestant: string, row: string) => ({
    ...{ workload: "others", contestant, runtime: "node" as const, params: { row } },
  });
  const rows = chains.map(([title, row]) => {
    if (othersRows[row] === undefined) throw new Error(`Cannot show ${row}: there is no such row`);
    const native = bestOverBestRange(
      runs,
      ["web", "web-16"].map((name) => query(name, row)),
      ["pipeline", "pipeline-16"].map((name) => query(name, row)),
    );
    const cells = answers.map((name) => {
      const ours = name === "new-streams" ? "pipeline-own-ends" : "pipeline";
      return ratioRange(runs, query(name, row), query(ours, row));
    });
    const write = (range: typeof native) => range === undefined ? nothing : writeRatioRange(range);
    return [title, ...[native, ...cells].map(write)];
  });
  const names = ["Web Streams", "node:stream", "`stream/iter`", "fast-webstreams", "new-streams"];
  return `${markdownTable(["", ...names], rows)}\n\n${runsProvenance(runs)}`;
}

const kinds = [
  ["inner", "4 inner sources at a time"],
  ["rate", "a limit of the rate"],
  ["generators", "3 async generators as stages"],
  ["waiting", "3 that wait 1 ms for each number"],
] as const;
const peers = ["hand", "streaming-iterables", "rxjs", "effect", "p-queue"] as const;

/** The same of libraries with operators, in each runtime. */
export function libraryAnswersTable(
  runs: readonly ResultFile[] | undefined = readRunsOf("flows"),
): string {
  if (runs === undefined) return notMeasured("flows");
  const rows = kinds.flatMap(([kind, title]) =>
    runtimeNames.map((runtime) => {
      const query = (contestant: string) => ({
        ...{ workload: "flows", contestant, runtime, params: { kind } },
      });
      return [
        `${title}, ${runtime}`,
        ...peers.map((peer) => {
          const range = ratioRange(runs, query(peer), query("pipeline"));
          return range === undefined ? nothing : writeRatioRange(range);
        }),
      ];
    })
  );
  const names = ["by hand", "streaming-iterables", "RxJS", "Effect", "p-queue"];
  return `${markdownTable(["", ...names], rows)}\n\n${runsProvenance(runs)}`;
}
