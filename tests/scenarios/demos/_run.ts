import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";
import type { DemoApi, DemoEvent } from "../../../scenarios/demo/demo_event.ts";
import { type Demo, demos } from "../../../scenarios/demo/demos.ts";
import { recordDemo } from "../../../scenarios/demo/record_demo.ts";

/** The demo of a number, with other numbers if given. */
export function demoOf(number: string, changes: Partial<Demo> = {}): Demo {
  return { ...demos.find((demo) => demo.number === number)!, ...changes };
}

/** The delays of a demo's writes. */
export function delaysOf({ messages }: Demo, seed = 1): number[] {
  return messageDelays(messages, seededRandom(seed));
}

/** Runs a demo in virtual time. */
export async function eventsOf(demo: Demo, api: DemoApi, seed = 1): Promise<DemoEvent[]> {
  return await recordDemo(demo, api, delaysOf(demo, seed));
}

/** The events before the first write has finished. */
export function beforeFirstWritten(events: readonly DemoEvent[]): DemoEvent[] {
  const written = events.findIndex(({ event }) => event === "written");
  return events.slice(0, written === -1 ? events.length : written);
}

/** How often an event happened. */
export function count(events: readonly DemoEvent[], name: DemoEvent["event"]): number {
  return events.filter(({ event }) => event === name).length;
}
