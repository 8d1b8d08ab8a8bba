import { seededRandom } from "../../../bench/results/seeded_random.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";
import { type Demo, demos } from "../../../scenarios/demos/demos.ts";
import { EventTracker } from "../../../scenarios/demos/event_tracker.ts";
import { MessageWork } from "../../../scenarios/demos/message_work.ts";
import { runWeb } from "../../../scenarios/demos/run_web.ts";
import { GateClock } from "../../gated/gate_clock.ts";
import { type HoseView, hoseView } from "../../hose/hose_view.ts";
import { type LoggedEvent, nodeLogs } from "./node_logs.ts";

/** A demo on the page's Web Streams, beside what it did on node's. */
export class BesideNode {
  readonly clock: GateClock = new GateClock();
  readonly demo: Demo;
  /** What happens here, as it comes. */
  readonly web: LoggedEvent[] = [];
  /** What happened there, all of it. */
  readonly node: readonly LoggedEvent[];
  readonly #stop = new AbortController();

  constructor(number: string) {
    this.demo = demos.find((demo) => demo.number === number)!;
    this.node = nodeLogs.demos[number]!;
    const { clock, demo } = this;
    const { signal } = this.#stop;
    const tracker = new EventTracker("web", {
      onEvent: (event) => void this.web.push(event),
      onDetail: () => {},
    });
    const work = new MessageWork(demo, messageDelays(demo.messages, seededRandom(1)), clock);
    runWeb({ demo, work, clock, tracker, signal }).catch(() => {});
  }

  /** Whether both have come to their end, or stand still for good. */
  isOver(): boolean {
    return this.clock.calls.length === 0 && this.clock.now() >= (this.node.at(-1)?.timeMs ?? 0) &&
      this.web.length > 0;
  }

  /** What is drawn of either at a time. */
  viewOf(events: readonly LoggedEvent[]): HoseView {
    const { highWaterMark: mark, writer } = this.demo;
    const writerIn = writer === "none" ? undefined : mark;
    const none = { readerOut: 0, transformerIn: 0, transformerOut: 0, writerIn: 0, writing: 0 };
    const occupancy = events.at(-1)?.occupancy ?? { ...none, written: 0 };
    return hoseView({ ...occupancy, transforming: 0 }, {
      readerOut: mark,
      transformerIn: mark,
      transformerOut: mark,
      writerIn,
    });
  }

  stop(): void {
    this.#stop.abort();
    this.clock.stop();
  }
}

/** The events up to a time. */
export function upTo(events: readonly LoggedEvent[], timeMs: number): readonly LoggedEvent[] {
  const after = events.findIndex((event) => event.timeMs > timeMs);
  return after < 0 ? events : events.slice(0, after);
}
