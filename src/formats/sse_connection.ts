import { longestDelayMs } from "../check_delay.ts";
import { Fifo } from "../fifo.ts";
import { checkOneSource } from "../sources/open_sources.ts";
import { abandonAll, SourceReader } from "../sources/source_reader.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import type { SseListener } from "./sse_listener.ts";
import type { SseEvent } from "./sse_event.ts";
import { SseSplitter } from "./sse_splitter.ts";

type Controller = ReadableStreamDefaultController<SseEvent>;

/** How to connect, and for how long. */
export interface SseConnectionOptions {
  connect(headers: Headers, signal: AbortSignal): Response | PromiseLike<Response>;
  readonly lastEventId: string;
  readonly retryMs: number;
  readonly maxFailures: number;
  readonly maxEventLength: number;
  readonly listener: SseListener;
  readonly signal: AbortSignal | undefined;
}

/** The underlying source of events from one address: connects, and connects again. */
export class SseConnection implements UnderlyingDefaultSource<SseEvent> {
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
