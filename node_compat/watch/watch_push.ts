import type { Readable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import type { Inner } from "./inner.ts";

/** Looks at the chunks that a stream puts in its outgoing buffer. */
export function watchPush(stream: Readable, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { push } = inner;
  inner.push = (chunk, encoding) => {
    if (chunk === null) return push.call(stream, chunk, encoding);
    const index = events.beforeEnqueue(chunk);
    const wantsMore = push.call(stream, chunk, encoding);
    events.afterEnqueue(
      index,
      chunk,
      stream.readableHighWaterMark - stream.readableLength,
      wantsMore,
    );
    return wantsMore;
  };
  // What a destroyed one still has goes nowhere.
  events.record.measureOut = () => stream.destroyed ? 0 : stream.readableLength;
  events.record.outHighWaterMark = stream.readableHighWaterMark;
}
