import { signal } from "@preact/signals";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { messageDelays } from "../../../scenarios/concurrency/last_admitting_sink.ts";
import { type Demo, demos } from "../../../scenarios/demo/demos.ts";
import { EventTracker } from "../../../scenarios/demo/event_tracker.ts";
import { MessageWork } from "../../../scenarios/demo/message_work.ts";
import { runWeb } from "../../../scenarios/demo/run_web.ts";
import { type LoggedEvent, nodeLogs } from "../../built.ts";
import { Choice, Section } from "../../controls/section.tsx";
import { TimedPlayback } from "../../controls/playback.tsx";
import { GateClock } from "../../gated/gate_clock.ts";
import { Player } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";
import { type HoseView, hoseView } from "../../hose/hose_view.ts";
import { eventPhrase, formatSeconds } from "../../words/format.ts";

/** A demo on the page's Web Streams, beside what it did on node's. */
class BesideNode {
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
function upTo(events: readonly LoggedEvent[], timeMs: number): readonly LoggedEvent[] {
  const after = events.findIndex((event) => event.timeMs > timeMs);
  return after < 0 ? events : events.slice(0, after);
}

/** One of the two that stand beside each other. */
interface SideOptions {
  readonly name: "web" | "node";
  readonly title: string;
  readonly about: string;
  readonly run: BesideNode;
  /** What had happened by the time that is shown. */
  readonly events: readonly LoggedEvent[];
}

const lines = 9;

/** A pipeline and its log, on one API. */
function Side({ name, title, about, run, events }: SideOptions) {
  const { batchSize, concurrency } = run.demo;
  return (
    <div class="side" data-api={name} data-events={events.length}>
      <h3>{title}</h3>
      <p class="aside">{about}</p>
      <Hose
        view={run.viewOf(events)}
        isNumbered={batchSize === 1 && concurrency === 1}
        slots={10}
        hasEnded={events.some(({ event }) => event === "end")}
      />
      <div class="log tall" role="log" aria-live="off" aria-label={`${title}: events`}>
        <ol>
          {events.slice(-lines).reverse().map((event) => (
            <li key={event.seq} class={event.stage}>
              {formatSeconds(event.timeMs)}: {eventPhrase({ ...event, id: event.id ?? undefined })}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

const run = signal(new BesideNode("03"));
const player = new Player(() => run.value.clock);
const shownMs = signal<number | undefined>();

/** Lets happen what is due at 0: the recording has it, too. */
function begin(): void {
  void player.finish(() => true);
}
begin();

function open(number: string): void {
  run.value.stop();
  run.value = new BesideNode(number);
  shownMs.value = undefined;
  begin();
}

const countOf = (events: readonly LoggedEvent[], name: LoggedEvent["event"]) =>
  events.filter(({ event }) => event === name).length;

function describe(web: readonly LoggedEvent[], node: readonly LoggedEvent[]): string {
  const read = [countOf(web, "read"), countOf(node, "read")];
  const written = [countOf(web, "written"), countOf(node, "written")];
  return `Web Streams have read ${read[0]} and written ${written[0]}; node's have read ${
    read[1]
  } and written ${written[1]}.`;
}

/** 6: the same messages on Web Streams and on node's. */
export function BesideNodeSection() {
  const { value } = run;
  void player.moves.value;
  const timeMs = shownMs.value ?? value.clock.now();
  const web = upTo(value.web, timeMs);
  const node = upTo(value.node, timeMs);
  const times = [...value.web, ...upTo(value.node, value.clock.now())]
    .map((event) => event.timeMs).sort((one, other) => one - other);
  if (value.isOver() && player.isPlaying.value) queueMicrotask(() => player.pause());
  return (
    <Section
      id="node"
      title="Web Streams beside Node's"
      about={
        <>
          The same messages, the same highWaterMarks, the same slow writes. On the left the Web
          Streams of your browser, live; on the right <code>node:stream</code>, recorded in{" "}
          {nodeLogs.recordedIn}. Both have backpressure, by different rules.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <Choice
        id="node-demo"
        label="Demo"
        value={value.demo.number}
        choices={demos.map(({ number, title }) => [number, `${number}: ${title}`])}
        onChange={(number) => {
          player.pause();
          open(number);
        }}
      />
      <div class="sides">
        <Side
          name="web"
          title="Web Streams"
          about="live, in this browser"
          run={value}
          events={[...web]}
        />
        <Side
          name="node"
          title="node:stream"
          about={`recorded in ${nodeLogs.recordedIn}`}
          run={value}
          events={[...node]}
        />
      </div>
      <p class="now" aria-live={player.isPlaying.value ? "off" : "polite"}>
        <span class="label">at {formatSeconds(timeMs)}</span> {describe(web, node)}
      </p>
      <TimedPlayback
        {...{ player, shownMs, times }}
        onRestart={() => {
          open(value.demo.number);
          player.play();
        }}
        onFinish={() => void player.finish(() => false, value.node.at(-1)?.timeMs)}
      />
    </Section>
  );
}
