import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, SourceReader } from "../sources/source_reader.ts";
import { type SseMessage, sseText } from "./format_sse.ts";
import { checkDelay } from "../check_delay.ts";
import { checkOptions, throwTypeError } from "../errors.ts";
import type { Source } from "../source_types.ts";
import { checkOneSource } from "../sources/open_sources.ts";

/** How `sseResponse` answers. */
export interface SseResponseOptions {
  /**
   * Milliseconds without an event after which a comment is sent, so that neither a proxy takes the connection for dead
   * nor the server a reader that is gone for alive; from 1 to 2,147,483,647. `Infinity`: never. Default: 5,000, as
   * `Bun.serve` cuts a connection that has been silent for 10 s.
   */
  keepAliveMs?: number | undefined;
  /** The id that the reader has sent, for a source that is a function: `request.headers.get("last-event-id")`. */
  lastEventId?: string | null | undefined;
  /** More headers; they go before those of events. */
  headers?: ConstructorParameters<typeof Headers>[0] | undefined;
}

const action = "create sseResponse";

/**
 * Answers a request with server-sent events, each chunk of the source as `formatSse` writes it.
 *
 * The source is read as the connection takes events. When the reader goes away, the source is cancelled; when the
 * source ends, the connection does, and a browser connects again. A failure of the source breaks the connection.
 *
 * @param source What to read, or a function that gives it, or a promise of it, for the id that the reader saw last:
 * `""` if none.
 * @param options When to send comments, the last id, and more headers.
 * @returns A response of the type `text/event-stream`, which is neither cached nor gathered by proxies.
 * @throws {TypeError} If `source` is no source or locked, or an option has the wrong type or is unknown.
 * @throws {RangeError} If `keepAliveMs` is out of range.
 *
 * @example Events from where the reader left
 * ```ts
 * import { sseResponse } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const answer = (request: Request) =>
 *   sseResponse(
 *     (lastEventId) =>
 *       ["a", "b", "c"].map((data, index) => ({ data, lastEventId: `${index}` }))
 *         .slice(lastEventId === "" ? 0 : Number(lastEventId) + 1),
 *     { lastEventId: request.headers.get("last-event-id") },
 *   );
 *
 * const request = new Request("http://localhost/", { headers: { "last-event-id": "1" } });
 * assert.deepEqual(await answer(request).text(), "id: 2\ndata: c\n\n");
 * ```
 */
export function sseResponse(
  source:
    | Source<SseMessage | string>
    | ((
      lastEventId: string,
    ) => Source<SseMessage | string> | PromiseLike<Source<SseMessage | string>>),
  options: SseResponseOptions = {},
): Response {
  checkOptions(action, options, ["keepAliveMs", "lastEventId", "headers"]);
  const { keepAliveMs = 5000, lastEventId } = options;
  if (keepAliveMs !== Infinity) {
    checkDelay(action, "keepAliveMs", keepAliveMs);
    if (keepAliveMs < 1) {
      throw new RangeError(`Cannot ${action}: keepAliveMs must be at least 1, got ${keepAliveMs}`);
    }
  }
  const id = lastEventId ?? "";
  if (typeof id !== "string") throwTypeError(action, "lastEventId", "a string", id);
  const headers = new Headers(options.headers);
  headers.set("content-type", "text/event-stream; charset=utf-8");
  headers.set("cache-control", "no-cache, no-transform");
  // Nginx would gather what is to be seen at once.
  headers.set("x-accel-buffering", "no");
  const open = async () => {
    const given = await (source as (lastEventId: string) => unknown)(id);
    const found = checkOneSource("answer with server-sent events", given, "the source");
    return new SourceReader<SseMessage | string>(found);
  };
  const reader = typeof source === "function"
    ? open
    : new SourceReader<SseMessage | string>(checkOneSource(action, source));
  return new Response(new ReadableStream(new SseBody(reader, keepAliveMs), { highWaterMark: 0 }), {
    headers,
  });
}

type Reader = SourceReader<SseMessage | string>;
type Controller = ReadableStreamDefaultController<Uint8Array>;

const comment = new TextEncoder().encode(":\n\n");

/** The body of a response of events: reads one as it is asked for, and sends comments while there is none. */
class SseBody implements UnderlyingDefaultSource<Uint8Array> {
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
