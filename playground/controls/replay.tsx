import type { Kept } from "../gated/kept.ts";
import { Hose } from "../hose/hose.tsx";
import { hoseView, type Marks } from "../hose/hose_view.ts";
import { describeHose } from "../words/describe_hose.ts";
import { EventLog } from "./event_log.tsx";
import { Scrubber } from "./scrubber.tsx";

/** What was recorded of a pipeline. */
export interface ReplayOptions {
  readonly kept: Kept;
  readonly marks: Marks;
  /** Default: if a transformer's mark is known. */
  readonly hasTransformer?: boolean;
  /** What the last place of the slider is called. */
  readonly present: string;
}

const nothing = {
  ...{ readerOut: 0, transformerIn: 0, transforming: 0, transformerOut: 0 },
  ...{ writerIn: 0, writing: 0, written: 0 },
};

/** A recording: its picture at any of its events. */
export function Replay({ kept, marks, hasTransformer, present }: ReplayOptions) {
  const past = kept.past.value;
  const events = kept.events();
  const event = kept.shown.value ?? events.at(-1);
  const until = past === undefined ? events : past.events.slice(0, past.index + 1);
  const hasEnded = until.some(({ event }) => event === "end");
  const view = hoseView(event?.occupancy ?? nothing, marks);
  return (
    <>
      <Hose view={view} isNumbered={false} {...{ hasEnded, hasTransformer }} />
      <p class="hidden" aria-live="polite">{past === undefined ? "" : describeHose(view)}</p>
      <Scrubber rewind={kept} kept={events.length} count={kept.count} present={present} />
      <EventLog
        events={until}
        isRead={past !== undefined}
      />
    </>
  );
}
