import { seededRandom } from "../../bench/results/seeded_random.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import type { DemoEvent } from "../../scenarios/demos/demo_event.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { runDemo } from "../../scenarios/demos/run_demo.ts";

/** What the page replays of node streams, by the number of the demo. */
export type NodeLogs = Readonly<Record<string, readonly Omit<DemoEvent, "hose" | "answer">[]>>;

/** Runs the demos on node streams, on a clock of its own, with the delays that the page gives to Web Streams. */
export async function recordNodeLogs(): Promise<NodeLogs> {
  const logs: Record<string, DemoEvent[]> = {};
  for (const demo of demos) {
    const events: DemoEvent[] = logs[demo.number] = [];
    await runDemo(demo, "node", {
      delays: messageDelays(demo.messages, seededRandom(1)),
      isVirtual: true,
      listener: { onEvent: (event) => void events.push(event), onDetail: () => {} },
    });
  }
  return Object.fromEntries(
    Object.entries(logs).map(([number, events]) => [
      number,
      events.map(({ hose: _hose, answer: _answer, ...event }) => event),
    ]),
  );
}
