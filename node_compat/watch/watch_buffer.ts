import type { Writable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import type { Inner } from "./inner.ts";

/** How many chunks a stage has taken in hand that still hold their places in its buffer. */
export interface Slots {
  held: number;
}

/** Looks at the buffer of a `Writable`. */
export function watchBuffer(stream: Writable, events: StageEvents, slots: Slots): void {
  const inner = stream as unknown as Inner;
  const { write } = inner;
  const { record } = events;
  record.measureIn = () => stream.writableLength - slots.held;
  record.inHighWaterMark = stream.writableHighWaterMark;
  if (record.kind !== "writer") return;
  inner.write = (...args) => {
    const wantsMore = write.apply(stream, args);
    if (!wantsMore) events.pause();
    return wantsMore;
  };
  stream.prependListener("drain", () => events.drain());
}

/** Keeps `slots` where something else tells of the chunks. */
export function holdSlots(stream: Writable, slots: Slots): void {
  const inner = stream as unknown as Inner;
  const { _write: writeOne } = inner;
  inner._write = (chunk, encoding, callback) => {
    slots.held = 1;
    writeOne.call(stream, chunk, encoding, (...args) => {
      slots.held = 0;
      callback(...args);
    });
  };
}
