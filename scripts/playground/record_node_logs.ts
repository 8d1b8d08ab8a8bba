import { seededRandom } from "../../bench/results/seeded_random.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";

/** An event as a row, which is short: the first fields, then those of its occupancy. */
type LoggedRow = readonly (string | number | null)[];

/** What the page replays of node streams. */
export interface RecordedNodeLogs {
  /** The runtime whose node streams were recorded, with its version. */
  readonly recordedIn: string;
  /** What the numbers of a row are called, after time, stage, event and chunk. */
  readonly occupancy: readonly string[];
  /** The events of each demo, by its number. */
  readonly demos: Readonly<Record<string, readonly LoggedRow[]>>;
}

/** Runs the demos on node streams, on a clock of its own, with the delays that the page gives to Web Streams. */
export async function recordNodeLogs(): Promise<RecordedNodeLogs> {
  const logs: Record<string, LoggedRow[]> = {};
  let names: string[] = [];
  for (const demo of demos) {
    const events = await recordDemo(demo, "node", messageDelays(demo.messages, seededRandom(1)));
    names = Object.keys(events[0]!.occupancy);
    logs[demo.number] = events.map(({ timeMs, stage, event, id, occupancy }) => [
      ...[timeMs, stage, event, id],
      ...names.map((name) => occupancy[name as keyof typeof occupancy]),
    ]);
  }
  const { name, version } = currentRuntime();
  return { recordedIn: `${name} ${version}`, occupancy: names, demos: logs };
}
