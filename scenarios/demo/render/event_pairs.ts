import type { DemoApi, DemoDetail, DemoEvent } from "../demo_event.ts";
import type { Renderer } from "./renderer.ts";

/** An event, and what happened after it and before the next. */
export interface DetailedEvent {
  readonly event: DemoEvent;
  readonly details: DemoDetail[];
}

/** Brings the events of both APIs together by their numbers; an API that has ended leaves its side empty. */
export class EventPairs implements Renderer {
  readonly #show: (web: DetailedEvent | undefined, node: DetailedEvent | undefined) => void;
  readonly #events: Record<DemoApi, DetailedEvent[]> = { web: [], node: [] };
  #shown = 0;

  constructor(show: (web?: DetailedEvent, node?: DetailedEvent) => void) {
    this.#show = show;
  }

  onEvent(event: DemoEvent): void {
    this.#events[event.api].push({ event, details: [] });
    const { web, node } = this.#events;
    // The last of each may still get details.
    this.#showUntil(Math.min(web.length, node.length) - 1);
  }

  onDetail(detail: DemoDetail): void {
    this.#events[detail.api].at(-1)?.details.push(detail);
  }

  end(): void {
    const { web, node } = this.#events;
    this.#showUntil(Math.max(web.length, node.length));
  }

  #showUntil(end: number): void {
    const { web, node } = this.#events;
    for (; this.#shown < end; this.#shown++) this.#show(web[this.#shown], node[this.#shown]);
  }
}
