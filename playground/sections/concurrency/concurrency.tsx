import { signal } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { Section } from "../../controls/section.tsx";
import { TimeScrubber } from "../../controls/time_scrubber.tsx";
import { Player } from "../../gated/player.ts";
import { formatSeconds } from "../../words/format.ts";
import { finishedMs, Race } from "./race.ts";
import { Timeline } from "./timeline.tsx";

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
      number={5}
      title="Ten writes, three ways"
      about={
        <>
          Each write waits for a network, 0.1 to 2 seconds. One at a time they add up. Several may
          be in flight, and it matters which of them lets the next one in.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <div class="choice">
        <label for="race-preset">Write</label>
        <select
          id="race-preset"
          value={preset.value}
          onChange={(event) => {
            preset.value = Number(event.currentTarget.value);
            player.pause();
            restart();
          }}
        >
          {presets.map(({ name }, index) => <option key={name} value={index}>{name}</option>)}
        </select>
      </div>
      <div class="timelines">
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
      <Playback
        player={player}
        onRestart={() => {
          restart();
          player.play();
        }}
      >
        <button
          type="button"
          data-do="finish"
          onClick={() => void player.finish(() => value.isOver())}
        >
          To the end
        </button>
      </Playback>
      <TimeScrubber {...{ player, shownMs, times: [...value.times] }} />
    </Section>
  );
}
