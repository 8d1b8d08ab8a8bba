/// <reference lib="dom" />
import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Player } from "../gated/player.ts";
import { formatSeconds } from "../words/format.ts";
import { Playback } from "./playback.tsx";

/** A run of which any time can be gone back to. */
export interface TimedPlaybackOptions {
  readonly player: Player;
  /** The times of what happened, in order, as far as it has. */
  readonly times: readonly number[];
  /** The time that is shown; `undefined` for the present. */
  readonly shownMs: Signal<number | undefined>;
  readonly onRestart: () => void;
  /** Moves on to the end at once. */
  readonly onFinish: () => void;
}

/** Play, step, to the end, and back to the time of any event. */
export function TimedPlayback(
  { player, times, shownMs, onRestart, onFinish }: TimedPlaybackOptions,
) {
  const id = useId();
  const { value } = shownMs;
  const count = times.length;
  const place = value === undefined ? count : times.findLastIndex((timeMs) => timeMs <= value);
  const text = value === undefined ? "now" : formatSeconds(value);
  return (
    <>
      <Playback player={player} onRestart={onRestart}>
        <button type="button" data-do="finish" onClick={onFinish}>To the end</button>
      </Playback>
      <div class="scrubber">
        <label for={id}>go back</label>
        <input
          id={id}
          type="range"
          min={0}
          max={count}
          value={Math.max(0, place)}
          aria-valuetext={text}
          onInput={(event) => {
            player.pause();
            shownMs.value = times[Number(event.currentTarget.value)];
          }}
        />
        <output for={id}>{text}</output>
      </div>
    </>
  );
}
