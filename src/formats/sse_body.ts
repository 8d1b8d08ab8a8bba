import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, type SourceReader } from "../sources/source_reader.ts";
import type { SseMessage } from "./sse_message.ts";
import { sseText } from "./sse_text.ts";

type Reader = SourceReader<SseMessage | string>;
type Controller = ReadableStreamDefaultController<Uint8Array>;

const comment = new TextEncoder().encode(":\n\n");

/** The body of a response of events: reads one as it is asked for, and sends comments while there is none. */
export class SseBody implements UnderlyingDefaultSource<Uint8Array> {
  readonly #open: (() => Promise<Reader>) | undefined;
  readonly #keepAliveMs: number;
  readonly #encoder = new TextEncoder();
  #reader: Reader | undefined;
  /** What is being read; a pull that a comment has answered leaves it to the next. */
  #reading: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #endPull: (() => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(reader: Reader | (() => Promise<Reader>), keepAliveMs: number) {
    if (typeof reader === "function") this.#open = reader;
    else this.#reader = reader;
    this.#keepAliveMs = keepAliveMs;
  }

  pull(controller: Controller): Promise<void> {
    return new Promise((resolve) => {
      this.#endPull = resolve;
      if (this.#keepAliveMs !== Infinity) {
        this.#timer = setTimeout(() => {
          controller.enqueue(comment.slice());
          resolve();
        }, this.#keepAliveMs);
      }
      this.#reading ??= this.#read(controller);
    });
  }

  async cancel(reason: unknown): Promise<void> {
    this.#stopped = { reason };
    this.#end();
    await this.#reader?.cancel(reason);
  }

  async #read(controller: Controller): Promise<void> {
    try {
      const reader = this.#reader ??= await this.#open!();
      if (this.#stopped !== undefined) return abandonAll([reader], this.#stopped.reason);
      const { done, value } = await reader.read();
      if (this.#stopped !== undefined) return;
      if (done) controller.close();
      else controller.enqueue(this.#encoder.encode(sseText(value)));
    } catch (reason) {
      if (this.#stopped === undefined) {
        // Unless the failure is the source's own, that would go on.
        if (this.#reader !== undefined) abandonAll([this.#reader], reason);
        controller.error(reason);
      }
    }
    this.#reading = undefined;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#endPull?.();
  }
}
