/// <reference lib="dom" />
import { useId } from "preact/hooks";
import type { Rewind } from "../gated/rewind.ts";
import { describeEvent } from "../words/describe_event.ts";
import { formatCount } from "../words/format.ts";

/** Hands a text to the reader as a file. */
function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Whose past can be gone back to. */
export interface ScrubberOptions {
  readonly rewind: Rewind;
  /** How many events are kept. */
  readonly kept: number;
  /** How many there were. */
  readonly count: number;
  /** What the last place is called: there the present is shown. */
  readonly present: string;
  /** Called before the reader goes to a place. */
  readonly onMove?: () => void;
  /** Makes what can be saved. */
  readonly save?: () => string;
}

/** Goes back through the events that are kept, one by one or by the slider. */
export function Scrubber({ rewind, kept: known, count, present, onMove, save }: ScrubberOptions) {
  const id = useId();
  const past = rewind.past.value;
  const kept = past?.events.length ?? known;
  const place = past?.index ?? kept;
  const goTo = (index: number) => {
    onMove?.();
    if (index >= kept) rewind.goOn();
    else rewind.goBack(index);
  };
  const text = past === undefined
    ? `${present}, ${formatCount(count)} events`
    : describeEvent(past.events[past.index]!);
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
      <output for={id} data-shown={past?.events[past.index]?.seq ?? "now"}>{text}</output>
      {save !== undefined && (
        <button
          type="button"
          class="quiet"
          data-do="save"
          onClick={() => saveText("pipeline.jsonl", save())}
        >
          Save the recording
        </button>
      )}
    </div>
  );
}
