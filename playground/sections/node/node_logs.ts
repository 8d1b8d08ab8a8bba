import type { DemoEvent } from "../../../scenarios/demos/demo_event.ts";
import { nodeLogsText } from "../../built.ts";

/** An event of either API, as far as it is shown. */
export type LoggedEvent = Omit<DemoEvent, "hose" | "answer">;

/** What the build recorded: where, and the events of each demo. */
export interface NodeLogs {
  /** The runtime whose node streams were recorded, with its version. */
  readonly recordedIn: string;
  readonly demos: Readonly<Record<string, readonly LoggedEvent[]>>;
}

type Row = readonly [number, ...string[]];

/** What stands in the page: each event as a row. */
interface WrittenLogs {
  readonly recordedIn: string;
  readonly occupancy: readonly string[];
  readonly demos: Readonly<Record<string, readonly Row[]>>;
}

function readLogs({ recordedIn, occupancy, demos }: WrittenLogs): NodeLogs {
  const toEvent = ([timeMs, stage, event, id, ...counts]: Row, index: number) => ({
    ...{ api: "node", seq: index + 1, timeMs, stage, event, id },
    occupancy: Object.fromEntries(occupancy.map((name, place) => [name, counts[place]])),
  });
  const events = Object.entries(demos).map(([number, rows]) => [number, rows.map(toEvent)]);
  return { recordedIn, demos: Object.fromEntries(events) };
}

/** What the demos did on node streams when this page was built. */
export const nodeLogs: NodeLogs = readLogs(JSON.parse(nodeLogsText));
