import type { ProbeAnswer, ProbeEvent } from "../../src/inspect/types.ts";
import type {
  DemoApi,
  DemoEvent,
  DemoEventName,
  DemoListener,
  DemoOccupancy,
  Hose,
} from "./demo_event.ts";

const names: readonly string[] = ["read", "transform", "write", "written", "end", "final"];

/** Makes the events of a demo out of those of a probe: which message is where, and what was answered. */
export class EventTracker {
  readonly #api: DemoApi;
  readonly #listener: DemoListener;
  /** Messages that no write has begun, oldest first: they never overtake each other. */
  readonly #waiting: string[] = [];
  readonly #writing: string[] = [];
  #count = 0;
  /** Held back until the rest of what happens at once is known. */
  #pending: DemoEvent | undefined;
  #isStopped = false;

  constructor(api: DemoApi, listener: DemoListener) {
    this.#api = api;
    this.#listener = listener;
  }

  /** Takes an event of the probe. */
  take(event: ProbeEvent): void {
    if (this.#isStopped) return;
    if (names.includes(event.event)) this.#takeEvent(event);
    else this.#takeDetail(event);
  }

  /** Takes what a stage learned by giving a message. */
  takeAnswer({ stage, id, wantsMore, desiredSize }: ProbeAnswer): void {
    if (this.#isStopped) return;
    const answer = this.#api === "node" ? `push:${wantsMore}` : `desired:${desiredSize}`;
    const pending = this.#pending;
    if (pending?.id === id && pending.stage === stage) pending.answer = answer;
    else {
      this.flush();
      this.#listener.onDetail({ api: this.#api, text: `${stage} ${id} ${answer}` });
    }
  }

  /** Says what is still held back. */
  flush(): void {
    const event = this.#pending;
    this.#pending = undefined;
    if (event !== undefined) this.#listener.onEvent(event);
  }

  /** What happens from now on is no part of the demo. */
  stop(): void {
    this.flush();
    this.#isStopped = true;
  }

  #takeEvent({ timeMs, stage, event, id, occupancy }: ProbeEvent): void {
    this.flush();
    if (event === "read") this.#waiting.push(id!);
    if (event === "write") this.#writing.push(this.#waiting.shift()!);
    if (event === "written") this.#writing.splice(this.#writing.indexOf(id!), 1);
    const { transforming, transformerIn, ...rest } = occupancy;
    const counts: DemoOccupancy = {
      readerOut: rest.readerOut,
      transformerIn: transformerIn + transforming,
      transformerOut: rest.transformerOut,
      writerIn: rest.writerIn,
      writing: rest.writing,
      written: rest.written,
    };
    this.#pending = {
      api: this.#api,
      seq: ++this.#count,
      timeMs,
      stage: stage as DemoEvent["stage"],
      event: event as DemoEventName,
      id: id ?? null,
      occupancy: counts,
      hose: this.#place(counts, transforming, event === "read" ? 1 : 0),
    };
    queueMicrotask(() => this.flush());
  }

  #takeDetail({ stage, event }: ProbeEvent): void {
    this.flush();
    this.#listener.onDetail({ api: this.#api, text: `${stage} ${event}` });
  }

  #place(counts: DemoOccupancy, transforming: number, reading: number): Hose {
    let at = 0;
    const take = (count: number): string[] => this.#waiting.slice(at, at += count).reverse();
    const writerIn = take(counts.writerIn);
    const transformerOut = take(counts.transformerOut);
    const transformer = take(transforming);
    const transformerIn = take(counts.transformerIn - transforming);
    const readerOut = take(counts.readerOut - reading);
    const reader = take(reading);
    const writer = [...this.#writing].reverse();
    return { reader, readerOut, transformerIn, transformer, transformerOut, writerIn, writer };
  }
}
