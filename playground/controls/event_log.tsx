import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { describeEvent } from "../words/describe_event.ts";

/** The last events in words, the newest first. */
export interface EventLogOptions {
  readonly events: readonly ProbeEvent[];
  /** How many lines are shown. */
  readonly lines?: number;
  /** Whether what is new is to be read out: not while it rushes by. */
  readonly isRead: boolean;
}

/** What happens, for reading and listening. */
export function EventLog({ events, lines = 6, isRead }: EventLogOptions) {
  const shown = events.slice(-lines).reverse();
  return (
    <div
      class="log"
      role="log"
      aria-label="What happened, the newest first"
      aria-live={isRead ? "polite" : "off"}
      aria-relevant="additions"
    >
      <ol>
        {shown.map((event) => <li key={event.seq}>{describeEvent(event)}</li>)}
      </ol>
      {shown.length === 0 && <p>Nothing has happened yet.</p>}
    </div>
  );
}
