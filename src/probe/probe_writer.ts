import { codeOf } from "./event_codes.ts";
import type { StageEvents } from "./stage_events.ts";
import type { UnderlyingSink } from "../web_types.ts";

type Write = (this: unknown, chunk: unknown, argument?: unknown) => unknown;

/** Wraps a function that writes a chunk, for `pipeline` and `writer`. */
export function probeWrite(write: Write, events: StageEvents, self?: unknown): Write {
  return (chunk, argument) => events.call(codeOf.write, write, self, chunk, argument);
}

/** Wraps the dictionary that `new WritableStream()` takes. None of the methods needs a `this`. */
export function probeUnderlyingSink(
  sink: UnderlyingSink<unknown>,
  events: StageEvents,
): Required<Pick<UnderlyingSink<unknown>, "start" | "write" | "close" | "abort">> {
  const { start, write, close, abort } = sink;
  let isStarted = false;
  return {
    ...sink,
    start: (controller) => {
      if (isStarted) {
        throw new TypeError("Cannot start: a probed writer serves one stream, wrap it again");
      }
      isStarted = true;
      const probed = {
        get signal(): AbortSignal {
          return controller.signal;
        },
        error: (reason?: unknown): void => {
          controller.error(reason);
          events.fail("error", reason);
        },
      };
      return events.work(() => start?.call(sink, probed as typeof controller)) as void;
    },
    write: probeWrite((write ?? (() => {})) as Write, events, sink) as never,
    close: () => events.work(() => close?.call(sink), () => events.end("final")) as Promise<void>,
    abort: (reason) => {
      events.fail("cancel", reason);
      return abort?.call(sink, reason);
    },
  };
}
