import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { bestRatioRange, type Range, ratioRange } from "../../../bench/results/ranges.ts";
import type { Params } from "../../../bench/results/params.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { isControl, isOurs } from "../../../bench/results/roles.ts";
import { bullet } from "../bullet.ts";
import { writeRatioRange } from "./write_range.ts";

/** In each runtime, then as text: `1.4 to 1.6 in Deno, 2 in Bun`. */
function inRuntimes(range: (runtime: RuntimeName) => Range | undefined): string | undefined {
  const parts = runtimeNames.flatMap((runtime) => {
    const found = range(runtime);
    return found === undefined
      ? []
      : [`${writeRatioRange(found)} in ${descriptors[runtime].title}`];
  });
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Who of the rivals takes the least time in one case, by the end of the range that is least favourable to hosepipe. */
function fastestRival(
  runs: readonly ResultFile[],
  workload: string,
  params: Params,
  runtime: RuntimeName,
) {
  const names = new Set(
    runs.flatMap(({ rows }) => rows).filter((row) => row.workload === workload)
      .map(({ contestant }) => contestant),
  );
  const query = (contestant: string) => ({ workload, contestant, runtime, params });
  return [...names].filter((name) => !isOurs(name) && !isControl(name)).flatMap((name) => {
    const range = ratioRange(runs, query(name), query("pipeline"));
    return range === undefined ? [] : [{ name, range }];
  }).sort((one, other) => one.range.low - other.range.low)[0];
}

/** Sentences that the runs support, each figure the range over all of them. */
export function claims(runs: readonly ResultFile[]): string {
  const ratio = (workload: string, params: Params, dividend: string, divisor: string) =>
    inRuntimes((runtime) =>
      ratioRange(
        runs,
        { workload, contestant: dividend, runtime, params },
        { workload, contestant: divisor, runtime, params },
      )
    );
  /** Of native streams, at default highWaterMarks or at the best. */
  const web = (workload: string, params: Params) =>
    inRuntimes((runtime) =>
      bestRatioRange(
        runs,
        ["web", "web-16"].map((contestant) => ({ workload, contestant, runtime, params })),
        { workload, contestant: "pipeline", runtime, params },
      )
    );
  const marks = runs.some(({ rows }) => rows.some(({ contestant }) => contestant === "web-16"))
    ? "at their best highWaterMarks"
    : "at default highWaterMarks";
  const say = (text: string, figures: string | undefined) =>
    figures === undefined ? [] : [`${text}: ${figures}.`];
  const hundred = { passes: 100 };
  const rivals = runtimeNames.flatMap((runtime) => {
    const found = fastestRival(runs, "copy_lines", hundred, runtime);
    return found === undefined
      ? []
      : [`${found.name}, ${writeRatioRange(found.range)} in ${descriptors[runtime].title}`];
  });
  const realWork = { from: "file" };
  return [
    ...say(`JSON lines, five stages, Web Streams ${marks}`, web("real_work", realWork)),
    ...say("JSON lines, `node:stream`", ratio("real_work", realWork, "node", "pipeline")),
    ...say(
      "JSON lines, RxJS, which has no backpressure",
      ratio("real_work", realWork, "rxjs", "pipeline"),
    ),
    ...say("JSON lines, a hand-written loop", ratio("real_work", realWork, "hand", "pipeline")),
    ...say(`100 stages that do nothing, Web Streams ${marks}`, web("copy_lines", hundred)),
    ...say("100 stages that do nothing, RxJS", ratio("copy_lines", hundred, "rxjs", "pipeline")),
    ...rivals.length === 0
      ? []
      : [`100 stages that do nothing, the fastest rival: ${rivals.join("; ")}.`],
    ...say(
      "Three chunks through five stages, Web Streams beside `fuse`",
      ratio("short_streams", {}, "web", "fuse"),
    ),
    ...say(
      "One stage between native streams, `pipeThrough`",
      ratio("native_ends", { stages: 1 }, "web", "pipeline"),
    ),
    ...[1, 5].flatMap((stages) =>
      say(
        `${
          stages === 1 ? "One stage that adds" : `${stages} stages that add`
        } between native streams, \`pipeThrough\` at its best highWaterMarks`,
        inRuntimes((runtime) =>
          bestRatioRange(
            runs,
            [0, 4, 16, 64].map((marks) => ({
              ...{ workload: "native_marks", contestant: "web", runtime },
              params: { stages, marks },
            })),
            { workload: "native_marks", contestant: "pipeline", runtime, params: {} },
          )
        ),
      )
    ),
    ...say(
      "No stage between native streams, `pipeTo`",
      ratio("native_ends", { stages: 0 }, "web", "pipeline"),
    ),
  ].map((text) => bullet(text)).join("\n");
}
