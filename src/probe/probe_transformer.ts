import { ProbedController } from "./probed_controller.ts";
import { codeOf } from "./event_codes.ts";
import type { StageEvents } from "./stage_events.ts";
import type { Transformer } from "../web_types.ts";

/** Browsers' types do not know yet what the standard says: that a transformer may have a `cancel`. */
type Cancellable = Transformer<unknown, unknown> & {
  cancel?: (reason?: unknown) => void | PromiseLike<void>;
};

function passOn(chunk: unknown, controller: ProbedController): void {
  controller.enqueue(chunk);
}

/** Wraps the dictionary that `new TransformStream()` takes. */
export function probeTransformer(
  transformer: Transformer<unknown, unknown>,
  events: StageEvents,
): Transformer<unknown, unknown> {
  const { start, transform, flush, cancel } = transformer as Cancellable;
  const { record } = events;
  let controller: ProbedController | undefined;
  const probed: Cancellable = {
    ...transformer,
    start(real): unknown {
      if (controller !== undefined) {
        throw new TypeError("Cannot start: a probed transformer serves one stream, wrap it again");
      }
      record.gauge.open(real);
      controller = new ProbedController(real, events);
      return events.work(() => start?.call(transformer, controller as never));
    },
    transform(chunk): void | PromiseLike<void> {
      if (record.isPaused) events.drain();
      return events.call(
        codeOf.transform,
        (transform ?? passOn) as never,
        transformer,
        chunk,
        controller,
      ) as void | PromiseLike<void>;
    },
    flush(): void | PromiseLike<void> {
      return events.work(
        () => flush?.call(transformer, controller as never),
        () => events.end("final"),
      ) as void | PromiseLike<void>;
    },
    cancel(reason): void | PromiseLike<void> {
      events.fail("cancel", reason);
      return cancel?.call(transformer, reason);
    },
  };
  return probed;
}
