import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { bestRatioRange, type Range, ratioRange } from "../../../bench/results/ranges.ts";
import type { Params } from "../../../bench/results/params.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { isControl, isOurs } from "../../../bench/results/roles.ts";
import { bullet } from "../bullet.ts";
import { writeRatioRange } from "./write_range.ts";

/** How many times as long the fastest of some takes as one of ours, in one case. */
export interface Comparison {
  readonly workload: string;
  readonly params: Params;
  readonly names: readonly string[];
  /** Ours; default: `pipeline`. */
  readonly over?: string;
}

/** Native streams at default highWaterMarks and at their best. */
const webs = ["web", "web-16"];

/** What is compared most often. */
export const realWork = { workload: "real_work", params: { from: "file" } } as const;
export const hundred = { workload: "copy_lines", params: { passes: 100 } } as const;

/** Which native streams were measured. */
export function nameMarks(runs: readonly ResultFile[]): string {
  const isAtBest = runs.some(({ rows }) => rows.some(({ contestant }) => contestant === "web-16"));
  return `at ${isAtBest ? "their best" : "default"} highWaterMarks`;
}

/** The range of a comparison over the runs. */
export function rangeIn(
  runs: readonly ResultFile[],
  runtime: RuntimeName,
  { workload, params, names, over = "pipeline" }: Comparison,
): Range | undefined {
  const query = (contestant: string) => ({ workload, contestant, runtime, params });
  return bestRatioRange(runs, names.map(query), query(over));
}

/** What is said of the library beside others; a sentence for each that was measured. */
const list: readonly (readonly [text: string, Comparison])[] = [
  ["JSON lines, five stages, Web Streams MARKS", { ...realWork, names: webs }],
  ["JSON lines, `node:stream`", { ...realWork, names: ["node"] }],
  ["JSON lines, RxJS, which has no backpressure", { ...realWork, names: ["rxjs"] }],
  ["JSON lines, a hand-written loop", { ...realWork, names: ["hand"] }],
  ["100 stages that do nothing, Web Streams MARKS", { ...hundred, names: webs }],
  ["100 stages that do nothing, RxJS", { ...hundred, names: ["rxjs"] }],
  ["Three chunks through five stages, Web Streams beside `fuse`", {
    ...{ workload: "short_streams", params: {}, names: ["web"], over: "fuse" },
  }],
  ["One stage between native streams, `pipeThrough`", {
    workload: "native_ends",
    params: { stages: 1 },
    names: ["web"],
  }],
  ["No stage between native streams, `pipeTo`", {
    ...{ workload: "native_ends", params: { stages: 0 }, names: ["web"] },
  }],
];

/** Who of the rivals takes the least time, by the end of the range that is least favourable to hosepipe. */
function fastestRival(runs: readonly ResultFile[], runtime: RuntimeName): string[] {
  const rows = runs.flatMap((run) => run.rows);
  const names = new Set(
    rows.filter((row) => row.workload === hundred.workload).map(({ contestant }) => contestant),
  );
  const query = (contestant: string) => ({ ...hundred, contestant, runtime });
  const [first] = [...names].filter((name) => !isOurs(name) && !isControl(name))
    .flatMap((name) => {
      const range = ratioRange(runs, query(name), query("pipeline"));
      return range === undefined ? [] : [{ name, range }];
    }).sort((one, other) => one.range.low - other.range.low);
  if (first === undefined) return [];
  return [`${first.name}, ${writeRatioRange(first.range)} in ${descriptors[runtime].title}`];
}

/** Sentences that the runs support, as a list; each figure the range over all of them. */
export function claimsList(runs: readonly ResultFile[]): string {
  const sentences = list.flatMap(([text, comparison]) => {
    const parts = runtimeNames.flatMap((runtime) => {
      const range = rangeIn(runs, runtime, comparison);
      return range === undefined
        ? []
        : [`${writeRatioRange(range)} in ${descriptors[runtime].title}`];
    });
    const subject = text.replace("MARKS", nameMarks(runs));
    return parts.length === 0 ? [] : [`${subject}: ${parts.join(", ")}.`];
  });
  const rivals = runtimeNames.flatMap((runtime) => fastestRival(runs, runtime));
  if (rivals.length > 0) {
    sentences.push(`100 stages that do nothing, the fastest rival: ${rivals.join("; ")}.`);
  }
  return sentences.map((text) => bullet(text)).join("\n");
}
