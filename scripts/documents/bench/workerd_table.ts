import { readFileSync } from "node:fs";
import {
  workerdContestants,
  type WorkerdFile,
  workerdMarks,
  type WorkerdRow,
  workerdStages,
} from "../../../bench/workerd/workerd_result.ts";
import { markdownTable } from "../markdown_table.ts";
import { wrapProse } from "../../command_line/wrap_prose.ts";

function read(): WorkerdFile | null {
  try {
    const path = new URL("../../../bench/results/workerd.json", import.meta.url);
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

const twoDigits = (value: number) => Number(value.toPrecision(2)).toString();

/** How many times as long the native chain takes, over the rounds. */
function ratio(web: WorkerdRow, ours: WorkerdRow): string {
  const ratios = web.nsPerChunk.map((ns, round) => ns / ours.nsPerChunk[round]!);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(twoDigits);
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** What a chain costs in workerd, natively and by the library. */
export function workerdTable(file: WorkerdFile | null = read()): string {
  if (file === null) {
    return "Not measured: `deno run -A bench/workerd/write_workerd.ts` does.";
  }
  const rowOf = (contestant: string, stages: number, marks: number) =>
    file.rows.find((row) =>
      row.contestant === contestant && row.stages === stages && row.marks === marks
    )!;
  const ours = workerdContestants.filter((name) => name !== "web");
  const body = workerdStages.flatMap((stages) =>
    workerdMarks.map((marks) => [
      `${stages} ${stages === 1 ? "stage" : "stages"}, highWaterMark ${
        marks === 0 ? "default" : marks
      }`,
      ...ours.map((name) => ratio(rowOf("web", stages, marks), rowOf(name, stages, marks))),
    ])
  );
  const about = wrapProse(
    `Numbers through stages that add, between native streams, in workerd ${file.version}: how many times as long ` +
      `a native chain takes as ours, in ${
        rowOf("web", 1, 0).nsPerChunk.length
      } rounds. Timed from outside, since ` +
      "clocks stand still there while code runs; each case in a process of its own.",
  );
  return `${about}\n\n${markdownTable(["native / ours", ...ours], body)}`;
}
