import type { StageEvents } from "./stage_events.ts";
import { overlay } from "./overlay.ts";
import type { UnderlyingSink } from "../web_types.ts";

type Method = (...args: unknown[]) => unknown;

/** Wraps a function that writes a chunk, for `pipeline` and `writer`. */
export function probeWrite(write: Method, events: StageEvents, self?: unknown): Method {
  return (...args) => events.call("write", write, self, args);
}

/** Wraps the dictionary that `new WritableStream()` takes. None of the methods needs a `this`. */
export function probeUnderlyingSink(
  sink: UnderlyingSink<unknown>,
  events: StageEvents,
): Required<Pick<UnderlyingSink<unknown>, "start" | "write" | "close" | "abort">> {
  const { start, write, close, abort } = sink;
  let real: WritableStreamDefaultController | undefined;
  let controller: WritableStreamDefaultController | undefined;
  const probed: { [Name in keyof UnderlyingSink]: unknown } = {
    ...sink,
    start: (given: WritableStreamDefaultController) => {
      events.claim();
      real = given;
      controller = overlay(given, {
        error(reason) {
          given.error(reason);
          events.fail("error", reason);
        },
      });
      return events.work(() => start?.call(sink, controller!));
    },
    write: (...args: unknown[]) => {
      if (real !== undefined && args[1] === real) args[1] = controller;
      return events.call("write", (write ?? (() => {})) as Method, sink, args);
    },
    close: () => events.work(() => close?.call(sink), () => events.end("final")),
    abort: (reason: unknown) => {
      events.fail("cancel", reason);
      return abort?.call(sink, reason);
    },
  };
  // What is no method is refused by the stream.
  for (const [name, method] of Object.entries({ start, write, close, abort })) {
    if (method !== undefined && typeof method !== "function") {
      probed[name as keyof UnderlyingSink] = method;
    }
  }
  return probed as ReturnType<typeof probeUnderlyingSink>;
}
