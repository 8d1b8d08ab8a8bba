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

/** The controller that a probed source or transformer is given: to it, the one it would have had. */
export class ProbedController {
  readonly #controller: AnyController;
  readonly #events: StageEvents;

  constructor(controller: AnyController, events: StageEvents) {
    this.#controller = controller;
    this.#events = events;
  }

  get desiredSize(): number | null {
    return this.#controller.desiredSize;
  }

  /** Of byte streams; what a source puts there counts as one chunk. */
  get byobRequest(): ReadableStreamBYOBRequest | null {
    const request = this.#controller.byobRequest ?? null;
    if (request === null) return null;
    return {
      get view() {
        return request.view;
      },
      respond: (bytesWritten: number) => {
        const { view } = request;
        if (bytesWritten === 0 || view === null) return request.respond(bytesWritten);
        const bytes = new Uint8Array(view.buffer, view.byteOffset, bytesWritten);
        this.#give(bytes, () => request.respond(bytesWritten));
      },
      respondWithNewView: (view: ArrayBufferView<ArrayBuffer>) =>
        this.#give(view, () => request.respondWithNewView(view)),
    } as ReadableStreamBYOBRequest;
  }

  enqueue(chunk?: unknown): void {
    const events = this.#events;
    const index = events.beforeEnqueue(chunk);
    try {
      this.#controller.enqueue(chunk);
    } catch (reason) {
      events.record.given--;
      throw reason;
    }
    this.#answer(index, chunk);
  }

  close(): void {
    this.#events.record.gauge.close();
    this.#controller.close!();
    this.#events.end("end");
  }

  terminate(): void {
    this.#events.record.gauge.close();
    this.#controller.terminate!();
    this.#events.end("final");
  }

  error(reason?: unknown): void {
    this.#controller.error(reason);
    this.#events.fail("error", reason);
  }

  #give(chunk: unknown, put: () => void): void {
    const index = this.#events.beforeEnqueue(chunk);
    put();
    this.#answer(index, chunk);
  }

  #answer(index: number, chunk: unknown): void {
    const { desiredSize } = this.#controller;
    const wantsMore = desiredSize !== null && desiredSize > 0;
    this.#events.afterEnqueue(index, chunk, desiredSize, wantsMore);
  }
}
