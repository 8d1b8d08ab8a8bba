import { writer } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { signal } from "@preact/signals";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import {
  lastAdmittingSink,
  messageDelays,
} from "../../../scenarios/concurrency/last_admitting_sink.ts";
import { Choice, Section } from "../../controls/section.tsx";
import { TimedPlayback } from "../../controls/playback.tsx";
import { GateClock } from "../../gated/gate_clock.ts";
import { Player } from "../../gated/player.ts";
import { formatSeconds } from "../../words/format.ts";

/** One write of a contestant. */
interface TimedWrite {
  readonly startMs: number;
  endMs: number | undefined;
  /** The row it is drawn in: the first that was free. */
  readonly lane: number;
}

/** How the writes of one job are made. */
interface Contestant {
  readonly name: string;
  readonly code: string;
  readonly writes: TimedWrite[];
}

/** What there is to write. */
interface RaceOptions {
  readonly messages: number;
  readonly concurrency: number;
}

type Write = (chunk: string) => Promise<void>;

const seed = 1;

/** The same slow writes in three ways, side by side on one clock. */
class Race {
  readonly clock: GateClock = new GateClock();
  readonly options: RaceOptions;
  readonly contestants: readonly Contestant[];
  /** The time of everything that happened, in order. */
  readonly times: number[] = [];
  /** How long the writes take, one after the other. */
  readonly sumMs: number;
  readonly #delays: readonly number[];
  readonly #stop = new AbortController();

  constructor(options: RaceOptions) {
    this.options = options;
    const { messages, concurrency } = options;
    this.#delays = messageDelays(messages, seededRandom(seed));
    this.sumMs = this.#delays.reduce((sum, delay) => sum + delay, 0);
    this.contestants = [
      this.#enter(
        "one slot",
        "new WritableStream({ write })",
        (write) => new WritableStream({ write }),
      ),
      this.#enter(
        "a pool that waits for the newest",
        "write() waits for the write that began last",
        (
          write,
        ) => new WritableStream(lastAdmittingSink(write, concurrency)),
      ),
      this.#enter(
        "any write that ends lets the next in",
        `writer(write, { concurrency: ${concurrency} })`,
        (
          write,
        ) => writer(write, { concurrency }),
      ),
    ];
  }

  /** Starts one contestant; what it writes is seen by a probe. */
  #enter(name: string, code: string, open: (write: Write) => WritableStream<string>): Contestant {
    const { clock } = this;
    const writes: TimedWrite[] = [];
    const running = new Map<string, TimedWrite>();
    const look = probe({
      capacity: 0,
      identify: String,
      now: () => clock.now(),
      onEvent: ({ event, id = "", timeMs }) => {
        if (event === "write") {
          const taken = new Set([...running.values()].map(({ lane }) => lane));
          let lane = 0;
          while (taken.has(lane)) lane++;
          const write: TimedWrite = { startMs: timeMs, endMs: undefined, lane };
          writes.push(write);
          running.set(id, write);
        } else if (event === "written") {
          running.get(id)!.endMs = timeMs;
          running.delete(id);
        } else return;
        this.times.push(timeMs);
      },
    });
    const ids = Array.from({ length: this.options.messages }, (_, index) => String(index + 1));
    let next = 0;
    const readable = new ReadableStream<string>(look.reader<string>({
      pull: (controller) => {
        if (next < ids.length) controller.enqueue(ids[next++]);
        else controller.close();
      },
    }));
    const write = look.writer(
      (id: string) => clock.sleep(this.#delays[Number(id) - 1]!, name),
    ) as Write;
    readable.pipeTo(open(write), { signal: this.#stop.signal }).catch(() => {});
    return { name, code, writes };
  }

  /** Whether everything is written. */
  isOver(): boolean {
    return this.contestants.every((contestant) =>
      finishedMs(contestant, this.options) !== undefined
    );
  }

  stop(): void {
    this.#stop.abort();
    this.clock.stop();
  }
}

/** When a contestant's last write had ended; `undefined` while it runs. */
function finishedMs(
  { writes }: Contestant,
  { messages }: RaceOptions,
): number | undefined {
  if (writes.length < messages || writes.some(({ endMs }) => endMs === undefined)) return undefined;
  return Math.max(...writes.map(({ endMs }) => endMs!));
}

/** What is drawn of a contestant. */
interface TimelineOptions {
  readonly contestant: Contestant;
  readonly options: RaceOptions;
  /** The time that is shown. */
  readonly timeMs: number;
  /** The time at the right edge. */
  readonly untilMs: number;
}

const laneHeight = 10;

/** The bars of one contestant's writes over time, in as many rows as were ever in flight. */
function Timeline({ contestant, options, timeMs, untilMs }: TimelineOptions) {
  const { name, code, writes } = contestant;
  const begun = writes.filter(({ startMs }) => startMs <= timeMs);
  const done = begun.filter(({ endMs }) => endMs !== undefined && endMs <= timeMs);
  const rows = Math.max(1, ...writes.map(({ lane }) => lane + 1));
  const finished = finishedMs(contestant, options);
  const isFinished = finished !== undefined && finished <= timeMs;
  const x = (ms: number) => 1000 * ms / untilMs;
  const bar = ({ startMs, endMs, lane }: typeof begun[number]) => {
    const end = endMs !== undefined && endMs <= timeMs ? endMs : timeMs;
    const left = x(startMs);
    const width = Math.max(0.5, x(end) - left - 1);
    return `M${left.toFixed(2)} ${lane * laneHeight + 1}h${width.toFixed(2)}v${laneHeight - 2}h-${
      width.toFixed(2)
    }z`;
  };
  const running = begun.filter((write) => !done.includes(write));
  const height = rows * laneHeight;
  const status = isFinished
    ? `done after ${formatSeconds(finished)}`
    : `${done.length} of ${options.messages} done, ${running.length} in flight`;
  return (
    <div
      class="timeline"
      data-contestant={name}
      data-finished={isFinished ? finished : undefined}
      data-done={done.length}
      data-in-flight={running.length}
    >
      <div class="row">
        <h3>{name}</h3> <code>{code}</code> <output>{status}</output>
      </div>
      <svg
        viewBox={`0 0 1000 ${height}`}
        preserveAspectRatio="none"
        style={`height:${Math.max(14, rows * 9)}px`}
        role="img"
        aria-label={`${name}: ${status}`}
      >
        <path class="done" d={done.map(bar).join("")} />
        <path class="running" d={running.map(bar).join("")} />
      </svg>
    </div>
  );
}

const presets = [
  { name: "10 writes, 3 at a time", messages: 10, concurrency: 3 },
  { name: "20 writes, 10 at a time (demos 05 and 06)", messages: 20, concurrency: 10 },
  { name: "1,000 writes, 10 at a time (run 6.3)", messages: 1000, concurrency: 10 },
];

const preset = signal(0);
const race = signal(new Race(presets[0]!));
const player = new Player(() => race.value.clock);
const shownMs = signal<number | undefined>();

function restart(): void {
  race.value.stop();
  race.value = new Race(presets[preset.value]!);
  shownMs.value = undefined;
}

function Verdict({ race, timeMs }: { readonly race: Race; readonly timeMs: number }) {
  const [one, newest, any] = race.contestants.map((contestant) =>
    finishedMs(contestant, race.options)
  );
  if (one === undefined || newest === undefined || any === undefined || one > timeMs) {
    return (
      <p class="now">
        At{" "}
        {formatSeconds(timeMs)}. A slot is free as soon as a write ends; the question is which write
        may say so.
      </p>
    );
  }
  return (
    <p class="now right">
      <code>writer</code> was done after {formatSeconds(any)}: {(one / any).toFixed(1)}{" "}
      times sooner than one slot, and {(newest / any).toFixed(2)}{" "}
      times sooner than the pool, in which one slow write holds up all that could follow.
    </p>
  );
}

/** 5: slow writes, one at a time and several. */
export function Concurrency() {
  const { value } = race;
  void player.moves.value;
  const timeMs = shownMs.value ?? value.clock.now();
  if (value.isOver() && player.isPlaying.value) queueMicrotask(() => player.pause());
  return (
    <Section
      id="concurrency"
      title="Ten writes, three ways"
      about={
        <>
          Each write waits for a network, 0.1 to 2 seconds. One at a time they add up. Several may
          be in flight, and it matters which of them lets the next one in.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <Choice
        id="race-preset"
        label="Write"
        value={String(preset.value)}
        choices={presets.map(({ name }, index) => [String(index), name])}
        onChange={(index) => {
          preset.value = Number(index);
          player.pause();
          restart();
        }}
      />
      <div class="timelines card">
        {value.contestants.map((contestant) => (
          <Timeline
            key={contestant.name}
            {...{ contestant, timeMs, options: value.options, untilMs: value.sumMs }}
          />
        ))}
      </div>
      <div aria-live={player.isPlaying.value ? "off" : "polite"}>
        <Verdict race={value} timeMs={timeMs} />
      </div>
      <TimedPlayback
        {...{ player, shownMs, times: [...value.times] }}
        onRestart={() => {
          restart();
          player.play();
        }}
        onFinish={() => void player.finish(() => value.isOver())}
      />
    </Section>
  );
}
