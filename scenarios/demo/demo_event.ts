/** The API a demo runs on. */
export type DemoApi = "web" | "node";

/** The events that count. */
export type DemoEventName = "read" | "transform" | "write" | "written" | "end" | "final";

/** The messages at each place of the hose, the oldest last. */
export interface Hose {
  readonly reader: readonly string[];
  readonly readerOut: readonly string[];
  readonly transformerIn: readonly string[];
  readonly transformer: readonly string[];
  readonly transformerOut: readonly string[];
  readonly writerIn: readonly string[];
  readonly writer: readonly string[];
}

/** How many messages are at each place; one being processed counts as in the buffer before it, or as `writing`. */
export interface DemoOccupancy {
  readonly readerOut: number;
  readonly transformerIn: number;
  readonly transformerOut: number;
  readonly writerIn: number;
  readonly writing: number;
  readonly written: number;
}

/** One event of a demo. */
export interface DemoEvent {
  readonly api: DemoApi;
  /** Counted from 1. */
  readonly seq: number;
  readonly timeMs: number;
  readonly stage: "reader" | "transformer" | "writer";
  readonly event: DemoEventName;
  /** The message; `null` at an end. */
  readonly id: string | null;
  readonly occupancy: DemoOccupancy;
  readonly hose: Hose;
  /** What the stage learned by giving the message, where that is known at once: `push:true` or `desired:1`. */
  answer?: string;
}

/** Something that happened between two events. */
export interface DemoDetail {
  readonly api: DemoApi;
  readonly text: string;
  /** That nothing happened for a while. */
  readonly isWait?: boolean;
}

/** What sees a demo. */
export interface DemoListener {
  onEvent(event: DemoEvent): void;
  onDetail(detail: DemoDetail): void;
}
