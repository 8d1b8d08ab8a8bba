import { codeOf } from "./event_codes.ts";
import type { Call, StageEvents } from "./stage_events.ts";

/** The queue that a kernel's chunks go to, once the engine has started its stage. */
export interface KernelOutput {
  readonly controller: { readonly desiredSize: number | null } | undefined;
}

/** Says what goes into a kernel and what comes out. */
export class KernelView {
  readonly events: StageEvents;
  readonly #output: KernelOutput;
  /** What was given since the engine has last taken it away. */
  #givenCount = 0;

  constructor(events: StageEvents, output: KernelOutput) {
    this.events = events;
    this.#output = output;
  }

  begin(chunk: unknown): Call {
    const { events } = this;
    if (events.record.isPaused) events.drain();
    return events.beginCall(codeOf.transform, chunk);
  }

  fail(call: Call | undefined, reason: unknown): void {
    if (call !== undefined) this.events.endCall(call, false);
    this.events.fail("error", reason);
  }

  /** To be called before what gives chunks that the engine takes together. */
  beginSlice(): void {
    this.#givenCount = 0;
  }

  give(chunk: unknown): void {
    const { events } = this;
    const index = events.beforeEnqueue(chunk);
    const desiredSize = this.#output.controller?.desiredSize ?? null;
    const room = desiredSize === null ? null : desiredSize - ++this.#givenCount;
    events.afterEnqueue(index, chunk, room, room !== null && room > 0);
  }
}
