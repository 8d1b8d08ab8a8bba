import { type TellsRoom, whenRoom } from "../kernels/demand.ts";
import type { StageEvents } from "./stage_events.ts";

/** What the controllers of the standard have in common; which methods exist depends on the stream. */
interface AnyController {
  readonly desiredSize: number | null;
  readonly byobRequest?: ReadableStreamBYOBRequest | null;
  enqueue(chunk?: unknown): void;
  close?(): void;
  terminate?(): void;
  error(reason?: unknown): void;
}

/** The controller that a probed part is given: to it, the one it would have had. */
class ProbedController {
  protected readonly controller: AnyController;
  protected readonly events: StageEvents;

  constructor(controller: AnyController, events: StageEvents) {
    this.controller = controller;
    this.events = events;
  }

  get desiredSize(): number | null {
    return this.controller.desiredSize;
  }

  enqueue(chunk?: unknown): void {
    this.give(chunk, () => this.controller.enqueue(chunk));
  }

  error(reason?: unknown): void {
    this.controller.error(reason);
    this.events.fail("error", reason);
  }

  protected give(chunk: unknown, put: () => void): void {
    const { controller, events } = this;
    const index = events.beforeEnqueue(chunk);
    try {
      put();
    } catch (reason) {
      events.refuse();
      // One whose `size` has thrown has failed; one that is closed has not.
      if (controller.desiredSize === null) events.fail("error", reason);
      throw reason;
    }
    const { desiredSize } = controller;
    events.afterEnqueue(index, chunk, desiredSize, desiredSize !== null && desiredSize > 0);
  }
}

/** The controller of a probed transformer. */
export class ProbedTransformController extends ProbedController implements TellsRoom {
  get [whenRoom](): TellsRoom[typeof whenRoom] {
    const { [whenRoom]: tell } = this.controller as TellsRoom;
    return tell && ((look) => Reflect.apply(tell, this.controller, [look]));
  }

  terminate(): void {
    this.events.record.gauge.close();
    this.controller.terminate!();
    this.events.end("final");
  }
}

/** The controller of a probed source. */
export class ProbedSourceController extends ProbedController {
  close(): void {
    this.events.record.gauge.close();
    this.controller.close!();
    this.events.end("end");
  }
}

/** The controller of a probed source of bytes. */
export class ProbedByteController extends ProbedSourceController {
  #request: ReadableStreamBYOBRequest | null = null;
  #probed: ReadableStreamBYOBRequest | null = null;

  /** What a source puts there counts as one chunk. */
  get byobRequest(): ReadableStreamBYOBRequest | null {
    const request = this.controller.byobRequest ?? null;
    if (request !== this.#request) {
      this.#request = request;
      this.#probed = request === null ? null : this.#probe(request);
    }
    return this.#probed;
  }

  #probe(request: ReadableStreamBYOBRequest): ReadableStreamBYOBRequest {
    return {
      get view() {
        return request.view;
      },
      respond: (bytesWritten: number) => {
        const { view } = request;
        if (bytesWritten === 0 || view === null) return request.respond(bytesWritten);
        const bytes = new Uint8Array(view.buffer, view.byteOffset, bytesWritten);
        this.give(bytes, () => request.respond(bytesWritten));
      },
      respondWithNewView: (view: ArrayBufferView<ArrayBuffer>) =>
        this.give(view, () => request.respondWithNewView(view)),
    } as ReadableStreamBYOBRequest;
  }
}
