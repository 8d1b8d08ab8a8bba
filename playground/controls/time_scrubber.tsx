/// <reference lib="dom" />
import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Player } from "../gated/player.ts";
import { formatSeconds } from "../words/format.ts";

/** Which time can be gone back to. */
export interface TimeScrubberOptions {
  readonly player: Player;
  /** The times of what happened, in order, as far as it has. */
  readonly times: readonly number[];
  /** The time that is shown; `undefined` for the present. */
  readonly shownMs: Signal<number | undefined>;
}

/** Goes back to the time of any event. */
export function TimeScrubber({ player, times, shownMs }: TimeScrubberOptions) {
  const id = useId();
  const { value } = shownMs;
  const count = times.length;
  const place = value === undefined ? count : times.findLastIndex((timeMs) => timeMs <= value);
  const text = value === undefined ? "now" : formatSeconds(value);
  return (
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
  );
}
