import { Hose } from "../../hose/hose.tsx";
import { eventPhrase } from "../../words/describe_event.ts";
import { formatSeconds } from "../../words/format.ts";
import type { BesideNode } from "./beside_node.ts";
import type { LoggedEvent } from "./node_logs.ts";

/** One of the two that stand beside each other. */
export interface SideOptions {
  readonly name: "web" | "node";
  readonly title: string;
  readonly about: string;
  readonly run: BesideNode;
  /** What had happened by the time that is shown. */
  readonly events: readonly LoggedEvent[];
}

const lines = 9;

/** A pipeline and its log, on one API. */
export function Side({ name, title, about, run, events }: SideOptions) {
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
