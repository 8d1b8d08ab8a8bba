import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { formatDuration, threeDigits } from "../../../bench/tables/format_duration.ts";
import { seededRandom } from "../../../bench/results/seeded_random.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";
import type { DemoApi, DemoEvent } from "../../../scenarios/demos/demo_event.ts";
import { type Demo, demos } from "../../../scenarios/demos/demos.ts";
import { recordDemo } from "../../../scenarios/demos/record_demo.ts";
import { palette } from "../palette.ts";
import type { SeriesStyle } from "../series_styles.ts";
import type { Chart, Panel, Point, TableRow } from "../chart.ts";

/** More than the demos' own 20: it takes some time for a difference to show. */
const messages = 100;
const seed = 1;

const shown = demos.filter(({ number }) => ["05", "06"].includes(number));

function nameOf({ number, admit }: Demo): string {
  return `demo ${number}: ${admit === "any" ? "any finished write" : "the last one started"}`;
}

const styles: ReadonlyMap<string, SeriesStyle> = new Map(
  shown.map((demo) => [nameOf(demo), {
    colour: demo.admit === "any" ? palette.blue : palette.vermillion,
    fill: palette.paper,
    shape: "circle",
    dash: demo.admit === "any" ? [1, 0] : [4, 1],
  }]),
);

/** Runs a demo without waiting: its delays decide the order of events and what the clock says. */
async function record(demo: Demo, api: DemoApi): Promise<DemoEvent[]> {
  const delays = messageDelays(messages, seededRandom(seed), 1);
  const events = await recordDemo({ ...demo, messages }, api, delays);
  return events.filter(({ event }) => event === "write" || event === "written");
}

/** How many are in flight once everything that happens at one instant has happened. */
function pointsOf(demo: Demo, events: readonly DemoEvent[]): Point[] {
  return events.filter(({ timeMs }, index) => events[index + 1]?.timeMs !== timeMs).map((
    { timeMs, occupancy: { writing } },
  ) => ({
    api: nameOf(demo),
    at: timeMs / 1000,
    ...{ value: writing, low: writing, high: writing },
    text: `${writing} in flight`,
  }));
}

function summary(demo: Demo, events: readonly DemoEvent[]): TableRow {
  const end = events.at(-1)!.timeMs;
  const most = Math.max(...events.map(({ occupancy }) => occupancy.writing));
  const area = events.reduce(
    (sum, { timeMs, occupancy }, index) =>
      sum + occupancy.writing * ((events[index + 1]?.timeMs ?? end) - timeMs),
    0,
  );
  const texts = [threeDigits(area / end), String(most), formatDuration(end)];
  return { api: nameOf(demo), cells: texts.map((text) => ({ text })) };
}

async function panel(api: DemoApi): Promise<Panel> {
  const points: Point[] = [];
  const body: TableRow[] = [];
  for (const demo of shown) {
    const events = await record(demo, api);
    points.push(...pointsOf(demo, events));
    body.push(summary(demo, events));
  }
  const { name, version } = currentRuntime();
  return {
    runtime: "",
    api,
    heading: `${api === "web" ? "Web Streams" : "node:stream"}, ${name} ${version}`,
    points,
    table: {
      head: ["mean in flight", "most", "all written after"],
      groups: [{ heading: "", rows: body }],
    },
  };
}

/** Writes in flight over time where only the last one started lets the next in, and where any does. */
export async function demoChart(): Promise<Chart> {
  // One after the other, so that neither disturbs the other's order.
  const panels = [await panel("web"), await panel("node")];
  return {
    id: "demos",
    title: "Demos 05 and 06: writes in flight over time",
    about:
      `${messages} slow writes, ten at a time. Where only the last one started lets the next ` +
      "in, concurrency pulses; where any finished write does, it stays at nine or ten. Run while " +
      "this report was made, on a clock of its own: the delays are seeded, and nothing is timed.",
    kind: "steps",
    position: { title: "time, s", scale: "linear" },
    value: { title: "writes in flight", scale: "linear" },
    apis: shown.map(nameOf),
    styles,
    variants: [{ name: "", groups: [{ heading: "", panels }] }],
    failures: [],
    command: shown.map(({ number }) =>
      `deno task demo ${number} --api both --messages ${messages} --seed ${seed} --time-scale 0 ` +
      "--format jsonl"
    ).join(" and "),
  };
}
