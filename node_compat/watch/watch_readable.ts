import type { Readable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import type { Inner } from "./inner.ts";
import { watchEnd } from "./watch_end.ts";
import { watchPush } from "./watch_push.ts";

/** Looks at what a `Readable` pushes. */
export function watchReadable(stream: Readable, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { _read: read } = inner;
  inner._read = (size) => {
    events.drain();
    events.ask(() => read.call(stream, size));
  };
  watchPush(stream, events);
  const { push } = inner;
  inner.push = (chunk, encoding) => {
    if (chunk === null) events.end("end");
    return push(chunk, encoding);
  };
  watchEnd(stream, events);
}
