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

/** What the demos did on node streams when this page was built. */
export const nodeLogs: NodeLogs = JSON.parse(nodeLogsText);
