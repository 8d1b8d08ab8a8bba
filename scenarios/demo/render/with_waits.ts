import type { DemoApi, DemoDetail, DemoEvent } from "../demo_event.ts";
import type { Renderer } from "./renderer.ts";

/** A pause that is shorter is none that one would see. */
const shortestMs = 20;

function describeWait(waitMs: number, { occupancy: { writing } }: DemoEvent): string {
  const inFlight = writing === 1 ? "1 write in flight" : `${writing} writes in flight`;
  return `… ${Math.round(waitMs)} ms${writing > 0 ? `, ${inFlight}` : ""}`;
}

/** Says between two events how long nothing has happened. */
export function withWaits(renderer: Renderer): Renderer {
  const last = new Map<DemoApi, DemoEvent>();
  return {
    onEvent(event: DemoEvent): void {
      const before = last.get(event.api);
      const waitMs = before === undefined ? 0 : event.timeMs - before.timeMs;
      if (before !== undefined && waitMs >= shortestMs) {
        renderer.onDetail({ api: event.api, text: describeWait(waitMs, before), isWait: true });
      }
      last.set(event.api, event);
      renderer.onEvent(event);
    },
    onDetail: (detail: DemoDetail) => renderer.onDetail(detail),
    end: () => renderer.end(),
  };
}
