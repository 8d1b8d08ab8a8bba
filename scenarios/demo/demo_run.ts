import type { DemoClock } from "./demo_clock.ts";
import type { Demo } from "./demos.ts";
import type { EventTracker } from "./event_tracker.ts";
import type { MessageWork } from "./message_work.ts";

/** What a demo needs to run on one API. */
export interface DemoRun {
  readonly demo: Demo;
  readonly work: MessageWork;
  readonly clock: DemoClock;
  readonly tracker: EventTracker;
  /** Ends it early. */
  readonly signal: AbortSignal;
}
