import type { DemoApi, DemoEvent } from "./demo_event.ts";
import type { Demo } from "./demos.ts";
import { runDemo } from "./run_demo.ts";

/** Runs a demo without waiting, its writes taking these delays on a clock of its own, and gives its events. */
export async function recordDemo(
  demo: Demo,
  api: DemoApi,
  delays: readonly number[],
): Promise<DemoEvent[]> {
  const events: DemoEvent[] = [];
  await runDemo(demo, api, {
    delays,
    isVirtual: true,
    listener: { onEvent: (event) => void events.push(event), onDetail: () => {} },
  });
  return events;
}
