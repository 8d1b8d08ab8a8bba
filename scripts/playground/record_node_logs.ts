import { seededRandom } from "../../bench/results/seeded_random.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import type { DemoEvent } from "../../scenarios/demos/demo_event.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";

type LoggedEvent = Omit<DemoEvent, "hose" | "answer">;

/** What the page replays of node streams. */
export interface RecordedNodeLogs {
  /** The runtime whose node streams were recorded, with its version. */
  readonly recordedIn: string;
  /** The events of each demo, by its number. */
  readonly demos: Readonly<Record<string, readonly LoggedEvent[]>>;
}

/** Runs the demos on node streams, on a clock of its own, with the delays that the page gives to Web Streams. */
export async function recordNodeLogs(): Promise<RecordedNodeLogs> {
  const logs: Record<string, LoggedEvent[]> = {};
  for (const demo of demos) {
    const events = await recordDemo(demo, "node", messageDelays(demo.messages, seededRandom(1)));
    logs[demo.number] = events.map(({ hose: _hose, answer: _answer, ...event }) => event);
  }
  const { name, version } = currentRuntime();
  return { recordedIn: `${name} ${version}`, demos: logs };
}
