import type { StageEvents } from "./stage_events.ts";
import { overlay } from "./overlay.ts";

/** What the controllers of the standard have in common; which methods exist depends on the stream. */
interface AnyController {
  readonly desiredSize: number | null;
  readonly byobRequest?: ReadableStreamBYOBRequest | null;
  enqueue(chunk?: unknown): void;
  close?(): void;
  terminate?(): void;
  error(reason?: unknown): void;
}

/** The controller that a probed part is given; `closing` is its method that closes the queue. */
export function probeController<Controller extends AnyController>(
  controller: Controller,
  events: StageEvents,
  closing: "close" | "terminate",
): Controller {
  const give = (chunk: unknown, put: () => void): void => {
    const index = events.beforeEnqueue(chunk);
    try {
      put();
    } catch (reason) {
      events.refuse();
      // One whose `size` has thrown has failed; one that is closed has not.
      if (controller.desiredSize === null) events.fail("error", reason);
      throw reason;
    }
    events.afterEnqueue(index, chunk, controller.desiredSize);
  };
  /** What a method is called on: taken from the controller, it throws as the real one does. */
  const realOf = (self: unknown) => (self === looks ? controller : self) as AnyController;
  const looks: Partial<AnyController> = {
    enqueue(chunk) {
      const { enqueue } = controller;
      give(chunk, () => enqueue.call(realOf(this), chunk));
    },
    error(reason) {
      const { error } = controller;
      error.call(realOf(this), reason);
      events.fail("error", reason);
    },
    [closing]() {
      events.record.gauge.close();
      controller[closing]!.call(realOf(this));
      events.end(closing === "close" ? "end" : "final");
    },
  };
  if ("byobRequest" in controller) {
    let request: AnyController["byobRequest"];
    let probed: typeof request;
    const get = () => {
      if (request === controller.byobRequest) return probed;
      request = controller.byobRequest;
      return probed = request && probeRequest(request, give);
    };
    Object.defineProperty(looks, "byobRequest", { get });
  }
  return overlay<AnyController>(controller, looks) as Controller;
}

/** What a source puts there counts as one chunk. */
function probeRequest(
  request: ReadableStreamBYOBRequest,
  give: (chunk: unknown, put: () => void) => void,
): ReadableStreamBYOBRequest {
  return overlay(request, {
    respond(bytesWritten) {
      const { view } = request;
      if (bytesWritten === 0 || view === null) return request.respond(bytesWritten);
      const bytes = new Uint8Array(view.buffer, view.byteOffset, bytesWritten);
      give(bytes, () => request.respond(bytesWritten));
    },
    respondWithNewView: (view) => give(view, () => request.respondWithNewView(view)),
  });
}
