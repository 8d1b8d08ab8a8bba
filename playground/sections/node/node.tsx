import { signal } from "@preact/signals";
import { demos } from "../../../scenarios/demos/demos.ts";
import { Playback } from "../../controls/playback.tsx";
import { Section } from "../../controls/section.tsx";
import { TimeScrubber } from "../../controls/time_scrubber.tsx";
import { Player } from "../../gated/player.ts";
import { formatSeconds } from "../../words/format.ts";
import { BesideNode, upTo } from "./beside_node.ts";
import { type LoggedEvent, nodeLogs } from "./node_logs.ts";
import { Side } from "./side.tsx";

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
      number={6}
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
      <div class="choice">
        <label for="node-demo">Demo</label>
        <select
          id="node-demo"
          value={value.demo.number}
          onChange={(event) => {
            player.pause();
            open(event.currentTarget.value);
          }}
        >
          {demos.map(({ number, title }) => (
            <option key={number} value={number}>{number}: {title}</option>
          ))}
        </select>
      </div>
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
      <Playback
        player={player}
        onRestart={() => {
          open(value.demo.number);
          player.play();
        }}
      >
        <button
          type="button"
          data-do="finish"
          onClick={() => void player.finish(() => false, value.node.at(-1)?.timeMs)}
        >
          To the end
        </button>
      </Playback>
      <TimeScrubber {...{ player, shownMs, times }} />
    </Section>
  );
}
