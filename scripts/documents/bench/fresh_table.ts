import { readFileSync } from "node:fs";
import {
  type FreshFile,
  type FreshRow,
  idleRuns,
  idleStreams,
} from "../../../bench/fresh/fresh_result.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { bullet } from "../bullet.ts";
import { markdownTable } from "../markdown_table.ts";
import { notMeasured } from "../not_measured.ts";
import { wrapProse } from "../../../scenarios/command_line/wrap_prose.ts";
import { writeRatioRange } from "./write_range.ts";

type Query = Pick<FreshRow, "measure" | "contestant" | "stages">;

interface Line {
  readonly title: string;
  readonly goal: string;
  readonly sides: readonly Query[];
  /** Why it is missed where it is, as a sentence; printed only where rows say that it is. */
  readonly whyMissed?: string;
}

const secondRun =
  "What the compiler made of the first run it throws away at that run's end, where methods reach lines that they had " +
  "not run before: `--trace-deopt` in Node names twelve of the engine's, and without the last compiler (`--no-opt`) " +
  "the second run takes less than half as long; from the third on ours is the faster in Node and Deno. A generator's " +
  "`await` is compiled into the runtime. Tried: fields that never look like constants and arrays that never look like " +
  "numbers (a tenth, dropped); a run of ten chunks before the first (half, but work that no program asked for: " +
  "dropped); the first compilers for all code, `--always-sparkplug` (nothing).";
const importing =
  "The package is two files, since its exports share one, and 218 names go from one to the other. Tried: a file for " +
  "each source file (four times as long in Node); a file for each export and one for all that they share (kept); all " +
  "in one file for each export (as fast as one file, but two exports would not know each other's stages).";

/** What is compared: ours over another; or its bytes alone. */
const lines: readonly Line[] = [
  ...[5, 20, 60].map((stages) => ({
    title: `second run of \`async_stages\`, ${stages} stages / async generators`,
    goal: "at most 1.2",
    whyMissed: secondRun,
    sides: ["pipeline", "async-generators"].map((contestant) => ({
      ...{ measure: "second-run", contestant, stages } as const,
    })),
  })),
  {
    title: "import of the package / the same in one file",
    goal: "at most 1.2",
    whyMissed: importing,
    sides: ["package", "one-file"].map((contestant) => ({
      ...{ measure: "import", contestant, stages: 0 } as const,
    })),
  },
  ...idleRuns.map((contestant) => ({
    title: `KiB held by a run that waits, three stages: ${contestant}`,
    goal: "",
    sides: [{ measure: "idle", contestant, stages: 0 } as const],
  })),
  ...idleStreams.map((contestant) => ({
    title: `KiB held by ${contestant}`,
    goal: "",
    sides: [{ measure: "idle", contestant, stages: 0 } as const],
  })),
];

const missedMark = " (missed)";
const limitOf = (goal: string) => Number(/[\d.]+$/.exec(goal)?.[0] ?? Infinity);

function readFresh(): FreshFile | undefined {
  const path = new URL("../../../bench/results/fresh.json", import.meta.url);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** What only a process that has just begun shows: ratios of CPU time and bytes, over the rounds of `fresh.json`. */
export function freshTable(): string {
  const file = readFresh();
  if (file === undefined) return notMeasured("fresh");
  const cell = (sides: readonly Query[], goal: string, runtime: string): string => {
    const [ours, other] = sides.map((side) =>
      file.rows.find((row) =>
        row.runtime === runtime && row.measure === side.measure &&
        row.contestant === side.contestant && row.stages === side.stages
      )
    );
    if (ours === undefined) return "–";
    const values = ours.medians.map((value, round) =>
      other === undefined ? value / 1024 : value / other.medians[round]!
    );
    const range = { low: Math.min(...values), high: Math.max(...values) };
    return `${writeRatioRange(range)}${range.high > limitOf(goal) ? missedMark : ""}`;
  };
  const rounds = file.rows[0]!.medians.length;
  const versions = Object.entries(file.runtimes).map((one) => one.join(" ")).join(", ");
  const rowed = lines.map(({ title, goal, sides, whyMissed }) => {
    const cells = runtimeNames.map((runtime) => cell(sides, goal, runtime));
    return { title, goal, cells, whyMissed };
  });
  const table = markdownTable(
    ["in a new process", "goal", ...runtimeNames],
    rowed.map(({ title, goal, cells }) => [title, goal, ...cells]),
  );
  const missed = rowed.filter(({ cells }) => cells.some((text) => text.endsWith(missedMark)));
  const reasons = Map.groupBy(missed, ({ whyMissed }) => whyMissed ?? "Not explained yet.");
  const items = [...reasons].map(([why, rows]) =>
    bullet(`${rows.map(({ title }) => title).join("; ")}. ${why}`)
  );
  const list = items.length === 0 ? "" : `Why these targets are missed:\n\n${items.join("\n")}\n\n`;
  const origin = wrapProse(
    `CPU time of all threads; of each round the median of ${file.processes} processes, over ${rounds} rounds. ` +
      `${versions}.`,
  );
  return `${table}\n\n${list}${origin}`;
}
