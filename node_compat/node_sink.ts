import type { Writable } from "node:stream";
import type { UnderlyingSink } from "../src/web_types.ts";
import { destroyStream } from "./destroy_stream.ts";
import { onStreamEnd } from "./on_stream_end.ts";
import { toError } from "./stage_error.ts";

/** The underlying sink that writes to a node `Writable`, and waits where that asks for it. */
export class NodeSink implements UnderlyingSink {
  readonly #stream: Writable;
  #waiting: PromiseWithResolvers<void> | undefined;
  #isClosing = false;
  #failure: { reason: unknown } | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  start(controller: WritableStreamDefaultController): void {
    const onDrain = (): void => {
      if (!this.#isClosing) this.#waiting?.resolve();
    };
    this.#stream.on("drain", onDrain);
    controller.signal.addEventListener("abort", () => {
      // The standard waits for the call that runs, and a stalled stream would never answer.
      if (!this.#isClosing) this.#waiting?.resolve();
      else destroyStream(this.#stream, toError(controller.signal.reason)).catch(() => {});
    });
    onStreamEnd(this.#stream, { readable: false }, (failure) => {
      this.#stream.off("drain", onDrain);
      if (failure === undefined && this.#isClosing) return this.#waiting?.resolve();
      failure ??= { reason: new TypeError("Cannot write: the node stream has ended") };
      this.#failure = failure;
      this.#waiting?.reject(failure.reason);
      controller.error(failure.reason);
    });
  }

  write(chunk: unknown): void | Promise<void> {
    try {
      if (chunk === null) {
        throw new TypeError("Cannot write: a node stream cannot carry null, which is its end");
      }
      if (!this.#stream.write(chunk)) return this.#wait();
    } catch (reason) {
      // The Web stream fails by itself; the node stream must learn of it.
      this.#stream.destroy(toError(reason));
      throw reason;
    }
  }

  close(): Promise<void> {
    this.#isClosing = true;
    const end = this.#wait();
    this.#stream.end();
    return end;
  }

  abort(reason: unknown): Promise<void> {
    return destroyStream(this.#stream, toError(reason));
  }

  #wait(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }
}
