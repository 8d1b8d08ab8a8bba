import { longestDelayMs } from "../check_delay.ts";
import { Fifo } from "../fifo.ts";
import { checkOneSource } from "../sources/open_sources.ts";
import { abandonAll, SourceReader } from "../sources/source_reader.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { type SseEvent, type SseListener, sseReaders, SseSplitter } from "./sse_splitter.ts";
import { throwTypeError } from "../errors.ts";
import { delay, integer, readOptions, signal, text } from "../read_options.ts";

/** How `sseSource` connects. */
export interface SseSourceOptions extends SseListener {
  /** The id after which to go on, as from a run before; `""` is none. Default: `""`. */
  lastEventId?: string | undefined;
  /** Milliseconds before it connects again, from 0 to 2,147,483,647, until the stream says another. Default: 3,000. */
  retryMs?: number | undefined;
  /** How many connections in a row may fail or give no event before the stream fails. Default: `Infinity`. */
  maxFailures?: number | undefined;
  /** The longest event allowed, in UTF-16 code units. Default: 16,777,216. `Infinity` is no limit. */
  maxEventLength?: number | undefined;
  /** Ends the stream with its reason when it aborts. Default: none. */
  signal?: AbortSignal | undefined;
}

const action = "create sseSource";

/**
 * Reads server-sent events from an address, as a browser's `EventSource` does: it connects when it is read, and when
 * the connection ends or breaks it connects again after a while and sends the last id.
 *
 * An answer of 204 ends the stream. Another status than 200, another type than `text/event-stream`, or an event that is
 * too long fails it. A connection that breaks is no failure, unless it happens `maxFailures` times in a row. Cancelling
 * the stream closes the connection.
 *
 * @param input The address, or a function that connects: it gets the headers to send and a signal, and returns a
 * `Response` or a promise of it. That way a request may have any method, headers and body.
 * @param options The last id, how long to wait, limits, what is called with comments, ids and times, and a signal.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If `input` or an option has the wrong type, or an option is unknown.
 * @throws {RangeError} If a number is out of range, or `lastEventId` has a line break or U+0000.
 *
 * @example A server that ends the connection after each event
 * ```ts
 * import { sseResponse, sseSource } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const events = sseSource((headers) => {
 *   const id = Number(headers.get("last-event-id")) + 1;
 *   return id > 3
 *     ? new Response(null, { status: 204 })
 *     : sseResponse([{ lastEventId: `${id}`, data: "x".repeat(id) }]);
 * }, { retryMs: 0 });
 *
 * assert.deepEqual((await Array.fromAsync(events)).map(({ data }) => data), ["x", "xx", "xxx"]);
 * ```
 */
export function sseSource(
  input:
    | string
    | URL
    | ((headers: Headers, signal: AbortSignal) => Response | PromiseLike<Response>),
  options: SseSourceOptions = {},
): ReadableStream<SseEvent> {
  if (typeof input !== "string" && !(input instanceof URL) && typeof input !== "function") {
    throwTypeError(action, "input", "a string, a URL or a function", input);
  }
  const { onComment, onId, onRetry, ...read } = readOptions(action, options, {
    lastEventId: text(""),
    retryMs: delay(3000),
    maxFailures: integer(Infinity, 1, true),
    signal,
    ...sseReaders(),
  });
  if (/[\r\n\0]/.test(read.lastEventId)) {
    throw new RangeError(`Cannot ${action}: lastEventId must have no line break and no U+0000`);
  }
  const connect = typeof input === "function"
    ? input
    : (headers: Headers, signal: AbortSignal) =>
      fetch(input, { headers, signal, cache: "no-store" });
  const connection = { ...read, connect, listener: { onComment, onId, onRetry } };
  return new ReadableStream(new SseConnection(connection), { highWaterMark: 0 });
}

type Controller = ReadableStreamDefaultController<SseEvent>;

/** How to connect, and for how long. */
interface SseConnectionOptions {
  connect(headers: Headers, signal: AbortSignal): Response | PromiseLike<Response>;
  readonly lastEventId: string;
  readonly retryMs: number;
  readonly maxFailures: number;
  readonly maxEventLength: number;
  readonly listener: SseListener;
  readonly signal: AbortSignal | undefined;
}

/** The underlying source of events from one address: connects, and connects again. */
class SseConnection implements UnderlyingDefaultSource<SseEvent> {
  readonly #options: SseConnectionOptions;
  /** Aborts when the stream is over. */
  readonly #abort = new AbortController();
  readonly #events = new Fifo();
  #reader: SourceReader<Uint8Array> | undefined;
  #splitter: SseSplitter | undefined;
  #lastEventId: string;
  #retryMs: number;
  #failures = 0;
  /** Whether the stream is to end for good, other than by a connection that breaks. */
  #isRefused = false;
  #onAbort: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SseConnectionOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId;
    this.#retryMs = options.retryMs;
  }

  start(controller: Controller): void {
    const { signal } = this.#options;
    if (signal === undefined) return;
    this.#onAbort = () => {
      controller.error(signal.reason);
      this.#stop(signal.reason);
    };
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async pull(controller: Controller): Promise<void> {
    try {
      while (this.#events.length === 0 && !this.#abort.signal.aborted) {
        if (await this.#readMore()) continue;
        controller.close();
        this.#stop(undefined);
      }
      if (!this.#abort.signal.aborted) controller.enqueue(this.#events.shift() as SseEvent);
    } catch (reason) {
      if (this.#abort.signal.aborted) return;
      controller.error(reason);
      this.#stop(reason);
    }
  }

  cancel(reason: unknown): void {
    this.#stop(reason);
  }

  /** Lets go of everything. */
  #stop(reason: unknown): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort!);
    this.#abort.abort(reason);
    clearTimeout(this.#timer);
    if (this.#reader !== undefined) abandonAll([this.#reader], reason);
    this.#reader = undefined;
  }

  /** Reads one chunk, or connects; tells whether it may go on. */
  async #readMore(): Promise<boolean> {
    try {
      if (this.#reader === undefined) return await this.#connect();
      const { done, value } = await this.#reader.read();
      if (!done) {
        this.#take(value);
        return true;
      }
      this.#failures++;
      if (this.#failures >= this.#options.maxFailures) {
        this.#refuse(`${this.#failures} connections in a row gave no event`);
      }
    } catch (error) {
      if (this.#isRefused || ++this.#failures >= this.#options.maxFailures) throw error;
    }
    this.#reader = undefined;
    await this.#wait();
    return true;
  }

  #take(bytes: Uint8Array): void {
    const splitter = this.#splitter!;
    try {
      splitter.take(bytes);
      splitter.step(Infinity, { enqueue: (event) => this.#events.push(event) });
    } catch (error) {
      this.#isRefused = true;
      throw error;
    }
    if (this.#events.length > 0) this.#failures = 0;
    this.#lastEventId = splitter.lastEventId;
    this.#retryMs = Math.min(splitter.reconnectionMs ?? this.#retryMs, longestDelayMs);
  }

  /** Connects; tells whether there may be events. */
  async #connect(): Promise<boolean> {
    const { connect, maxEventLength, listener } = this.#options;
    const headers = new Headers({ accept: "text/event-stream" });
    if (this.#lastEventId !== "") {
      // As UTF-8, which a header takes byte by byte.
      const bytes = new TextEncoder().encode(this.#lastEventId);
      headers.set("last-event-id", Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    }
    const response = await connect(headers, this.#abort.signal);
    if (this.#abort.signal.aborted || response.status !== 200) {
      response.body?.cancel().catch(() => {});
      if (this.#abort.signal.aborted || response.status === 204) return false;
      this.#refuse(`the status is ${response.status}`);
    }
    const type = response.headers.get("content-type") ?? "";
    if (!/^text\/event-stream[\t ]*(?:;|$)/i.test(type.trim())) {
      response.body?.cancel().catch(() => {});
      this.#refuse(`the type is ${JSON.stringify(type)}, not text/event-stream`);
    }
    this.#splitter = new SseSplitter(maxEventLength, listener, this.#lastEventId);
    this.#reader = new SourceReader(
      checkOneSource("read server-sent events", response, "the response"),
    );
    return true;
  }

  #refuse(message: string): never {
    this.#isRefused = true;
    throw new TypeError(`Cannot read server-sent events: ${message}`);
  }

  async #wait(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#timer = setTimeout(resolve, this.#retryMs);
    });
  }
}
