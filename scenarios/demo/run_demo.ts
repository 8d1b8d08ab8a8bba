import { type DemoClock, RealClock, VirtualClock } from "./demo_clock.ts";
import type { DemoApi, DemoListener } from "./demo_event.ts";
import type { DemoRun } from "./demo_run.ts";
import type { Demo } from "./demos.ts";
import { EventTracker } from "./event_tracker.ts";
import { MessageWork } from "./message_work.ts";

/** How a demo is run. */
export interface DemoOptions {
  /** How long each write takes, in milliseconds, in the order of the messages. */
  readonly delays: readonly number[];
  /** Whether delays only order events, and are skipped. */
  readonly isVirtual: boolean;
  readonly listener: DemoListener;
  /** Ends it early, with its reason. */
  readonly signal?: AbortSignal;
}

/** Runs a demo on one API to its end, or, without a writer, until nothing moves. */
export async function runDemo(demo: Demo, api: DemoApi, options: DemoOptions): Promise<void> {
  const { delays, isVirtual, listener } = options;
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const clock: DemoClock = isVirtual ? new VirtualClock() : new RealClock();
  const tracker = new EventTracker(api, listener);
  const work = new MessageWork(demo, delays, clock);
  const run: DemoRun = { demo, work, clock, tracker, signal };
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    tracker.stop();
    clock.stop();
    aborted.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    const start = async (): Promise<void> => {
      // Only the API asked for is loaded.
      const runApi = api === "web"
        ? (await import("./run_web.ts")).runWeb
        : (await import("./run_node.ts")).runNode;
      signal.throwIfAborted();
      await runApi(run);
    };
    await Promise.race([start(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    clock.stop();
  }
}
