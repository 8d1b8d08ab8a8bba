import type { Readable, Writable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import { toReason } from "../stage_error.ts";
import type { Callback } from "./inner.ts";

/** Lets `events` hear how a stream fails or is given up; the order of its own listeners stays as it is. */
export function watchEnd(stream: Readable | Writable, events: StageEvents): void {
  const { _destroy: destroy } = stream;
  stream._destroy = function (error: Error | null, callback: Callback): void {
    if (error === null) events.fail("cancel", undefined);
    else events.fail("error", toReason(error));
    destroy.call(stream, error, callback);
  };
}
