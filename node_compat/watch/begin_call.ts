import { codeOf } from "../../src/probe/event_codes.ts";
import type { StageEvents } from "../../src/probe/stage_events.ts";

/** A call that ends by a callback, perhaps at once. */
export interface CallbackCall {
  finish(isDone: boolean): void;
  /** The method has returned: if it has not called back yet, it will later. */
  returned(): void;
}

/** Begins a transform or write. */
export function beginCall(
  events: StageEvents,
  event: "transform" | "write",
  chunk: unknown,
): CallbackCall {
  const call = events.beginCall(codeOf[event], chunk);
  let isOver = false;
  return {
    finish(isDone) {
      isOver = true;
      events.endCall(call, isDone);
    },
    returned() {
      if (!isOver) events.prolong(call);
    },
  };
}
