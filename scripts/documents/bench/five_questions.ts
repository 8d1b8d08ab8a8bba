import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { lossKinds } from "../../../bench/measure/loss_reason.ts";
import type { Workload } from "../../../bench/measure/workload.ts";
import {
  bestOverBestRange,
  bestRatioRange,
  type Range,
  type RowQuery,
} from "../../../bench/results/ranges.ts";
import type { Params } from "../../../bench/results/params.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { threeDigits } from "../../../bench/tables/format_duration.ts";
import { bullet } from "../bullet.ts";
import { listLosses, type LossesOfOneKind } from "./faster_list.ts";
import { heldKiB } from "./fresh_table.ts";
import { readRunsOf } from "./read_runs_of.ts";
import { writeRatioRange } from "./write_range.ts";

/** Those of the sweep in `native_marks`. */
const marks = [0, 4, 16, 64];

type Runs = readonly ResultFile[];

/** In each runtime, the fastest of `names` over `pipeline`. */
function over(runs: Runs, workload: string, names: readonly string[], params: Params): string {
  const parts = runtimeNames.flatMap((runtime) => {
    const query = (contestant: string): RowQuery => ({ workload, contestant, runtime, params });
    const range: Range | undefined = bestRatioRange(runs, names.map(query), query("pipeline"));
    return range === undefined
      ? []
      : [`${writeRatioRange(range)} in ${descriptors[runtime].title}`];
  });
  return parts.join(", ");
}

/** Native streams over `pipeline` between native ends with one stage, both at their best highWaterMark. */
function overNativeEnds(runs: Runs): string {
  const workload = "native_marks";
  const parts = runtimeNames.flatMap((runtime) => {
    const queries = (contestant: string): RowQuery[] =>
      marks.map((marks) => ({ workload, contestant, runtime, params: { stages: 1, marks } }));
    const range = bestOverBestRange(runs, queries("web"), queries("pipeline"));
    return range === undefined
      ? []
      : [`${writeRatioRange(range)} in ${descriptors[runtime].title}`];
  });
  return parts.join(", ");
}

/** A point for each reason, with what is lost for it. */
function slowerByReason(lost: readonly LossesOfOneKind[]): string {
  const kinds = Map.groupBy(lost, ({ kind }) => kind);
  return [...kinds].map(([kind, some]) => {
    const worst = Map.groupBy(some, ({ workload }) => workload);
    const cases = [...worst].map(([workload, own]) =>
      `\`${workload}\` ${threeDigits(Math.max(...own.map(({ ratio }) => ratio)))}`
    );
    return bullet(`${lossKinds[kind]}: ${cases.join(", ")}.`, 1);
  }).join("\n");
}

/** Five questions of a reader, each answered by figures of the runs. */
export function fiveQuestions(
  results: ResultFile,
  runs: Runs,
  workloads: readonly Workload[],
): string {
  const webs = ["web", "web-16"];
  const file = { from: "file" };
  const race = readRunsOf("race") ?? [];
  const work = (names: readonly string[]) => over(runs, "real_work", names, file);
  return [
    "**Five stages that do something** (JSON lines from a file to a file), times as long as " +
    `\`pipeline\`: \`node:stream\` ${work(["node"])}; RxJS ${work(["rxjs"])}; a hand-written loop ${
      work(["hand"])
    }.`,
    "**Native Web Streams at their best highWaterMark**, times as long as `pipeline`: the same five " +
    `stages ${work(webs)}; 100 stages that do nothing ${
      over(runs, "copy_lines", webs, { passes: 100 })
    }; one stage between native streams ${overNativeEnds(runs)}.`,
    "**Stages that wait** (20 of them, every third returns a promise), times as long as `pipeline`: " +
    `async generators ${
      over(race, "async_stages", ["async-generators"], { stages: 20 })
    }; a hand-written loop ${over(race, "async_stages", ["hand"], { stages: 20 })}.`,
    `**Memory** of a run that waits: \`pipeline\` ${heldKiB("pipeline")}; native Web Streams ${
      heldKiB("web")
    }; \`node:stream\` ${heldKiB("node")}.`,
    "**Where hosepipe is slower**, how many times as long it takes at most, and [why](#where-others-are-faster):",
  ].map((text) => bullet(text)).join("\n") +
    `\n${slowerByReason(listLosses(results, runs, workloads))}`;
}
