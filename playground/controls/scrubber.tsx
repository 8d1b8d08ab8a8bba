/// <reference lib="dom" />
import { useId } from "preact/hooks";
import type { Player } from "../gated/player.ts";
import { keptEvents, type Recorded } from "../gated/recorded.ts";
import { describeEvent } from "../words/describe_event.ts";
import { formatCount } from "../words/format.ts";
import { saveText } from "./save_text.ts";

/** Whose past can be gone back to. */
export interface ScrubberOptions {
  readonly player: Player;
  readonly recorded: Recorded;
}

/** Goes back through the events that are kept. */
export function Scrubber({ player, recorded }: ScrubberOptions) {
  const id = useId();
  // Drawn anew at each move.
  void player.moves.value;
  const past = recorded.past.value;
  const kept = past?.events.length ?? Math.min(recorded.count, keptEvents);
  // The last place is the present.
  const place = past?.index ?? kept;
  const goTo = (index: number) => {
    player.pause();
    if (index >= kept) recorded.goOn();
    else recorded.goBack(index);
  };
  const text = past === undefined ? "now" : describeEvent(past.events[past.index]!);
  return (
    <div class="scrubber">
      <label for={id}>go back</label>
      <button
        type="button"
        aria-label="One event back"
        disabled={place === 0}
        onClick={() => goTo(place - 1)}
      >
        ‹
      </button>
      <input
        id={id}
        type="range"
        min={0}
        max={kept}
        value={place}
        aria-valuetext={text}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        aria-label="One event on"
        disabled={place === kept}
        onClick={() => goTo(place + 1)}
      >
        ›
      </button>
      <output for={id} data-shown={past?.events[past.index]?.seq ?? "now"}>
        {past === undefined ? `now, ${formatCount(recorded.count)} events` : text}
      </output>
      <button
        type="button"
        class="quiet"
        data-do="save"
        onClick={() => saveText("pipeline.jsonl", recorded.look.toJsonLines())}
      >
        Save the recording
      </button>
    </div>
  );
}
