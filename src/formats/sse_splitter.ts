import type { Splitter } from "../kernels/split_in_turns.ts";
import { callback, integer } from "../read_options.ts";
import { TextInput } from "../text_input.ts";

/** Is called with what a stream of events says besides events, as soon as it has said it; what it throws fails the stream. */
export interface SseListener {
  /** Gets each comment, without its colon and a space after that. Default: comments are left out. */
  onComment?: ((text: string) => void) | undefined;
  /** Gets the id of what a blank line has ended, as that ends, also if it has no data. Default: an event has the last. */
  onId?: ((id: string) => void) | undefined;
  /** Gets each time to wait before connecting again, in milliseconds. Default: the next event has it. */
  onRetry?: ((retryMs: number) => void) | undefined;
}

/** Reads how long an event may be, in UTF-16 code units, and who is called. */
export const sseReaders = () => ({
  maxEventLength: integer(16_777_216, 1, true),
  onComment: callback(),
  onId: callback(),
  onRetry: callback(),
});

/** An event of a stream of server-sent events, with the names of a browser's `MessageEvent`. */
export interface SseEvent {
  /** The type; `"message"` if the stream names none. */
  readonly type: string;
  /** The text, its lines joined by `\n`. */
  readonly data: string;
  /** The last id that the stream has given, this event's included; `""` if it has given none. */
  readonly lastEventId: string;
  /** How long to wait before connecting again, in milliseconds, if the stream has said so since the last event. */
  readonly retryMs?: number | undefined;
}

/** What takes what a stream says. */
export interface SseReceiver {
  enqueue(event: SseEvent): void;
}

const lineFeed = 10;
const space = 32;
const digits = /^[0-9]+$/;

/** Parses one event stream as the HTML standard interprets it; holds the event that has not ended yet. */
export class SseSplitter implements Splitter<string | Uint8Array, SseReceiver> {
  readonly #maxEventLength: number;
  readonly #listener: SseListener;
  readonly #input = new TextInput("parse server-sent events");
  #text = "";
  #at = 0;
  /** Where the next of each is in the text, or where it was; `Infinity`: nowhere. */
  #feedAt = -1;
  #returnAt = -1;
  #isAfterReturn = false;
  /** What there is of a line that has not ended, and the length of the event with it. */
  #line = "";
  #length = 0;
  #type = "";
  /** The lines of data, if there is one: the standard leaves an event without out. */
  #data: string | undefined;
  #id: string;
  #hasNewId = false;
  #retryMs: number | undefined;
  /** What a reconnection sends: the id of the last event that ended, also if it had no data. */
  lastEventId: string;
  /** How long to wait before connecting again, once the stream has said so. */
  reconnectionMs: number | undefined;

  /** `lastEventId` is what was known before the stream. */
  constructor(maxEventLength: number, listener: SseListener, lastEventId = "") {
    this.#maxEventLength = maxEventLength;
    this.#listener = listener;
    this.#id = this.lastEventId = lastEventId;
  }

  /** Takes a chunk; `step` gives the events that end in it. What never ends is no event. */
  take(chunk: string | Uint8Array): void {
    this.#input.take(chunk);
  }

  step(limit: number, receiver: SseReceiver): boolean {
    let left = limit;
    while (this.#at < this.#text.length || this.#readMore()) {
      if (this.#takeLine(receiver) && --left === 0) return true;
    }
    return false;
  }

  keep(): void {
    this.#input.keep();
  }

  #readMore(): boolean {
    this.#text = this.#input.read();
    this.#at = 0;
    this.#feedAt = this.#returnAt = -1;
    return this.#text !== "";
  }

  #find(mark: string, known: number): number {
    if (known >= this.#at) return known;
    const found = this.#text.indexOf(mark, this.#at);
    return found === -1 ? Infinity : found;
  }

  /** Takes as much of a line as there is; tells whether it ended an event. */
  #takeLine(receiver: SseReceiver): boolean {
    const text = this.#text;
    if (this.#isAfterReturn) {
      this.#isAfterReturn = false;
      if (text.charCodeAt(this.#at) === lineFeed) {
        this.#at++;
        return false;
      }
    }
    this.#feedAt = this.#find("\n", this.#feedAt);
    this.#returnAt = this.#find("\r", this.#returnAt);
    const end = Math.min(this.#feedAt, this.#returnAt, text.length);
    this.#length += end - this.#at;
    if (this.#length > this.#maxEventLength) {
      throw new RangeError(
        `Cannot parse server-sent events: an event is longer than maxEventLength ${this.#maxEventLength}`,
      );
    }
    const start = this.#at;
    this.#at = end;
    if (end === text.length) {
      this.#line += text.slice(start);
      return false;
    }
    this.#isAfterReturn = end === this.#returnAt;
    this.#at++;
    if (this.#line !== "") {
      const line = this.#line + text.slice(start, end);
      this.#line = "";
      this.#takeField(line, 0, line.length);
    } else if (start === end) return this.#dispatch(receiver);
    else this.#takeField(text, start, end);
    return false;
  }

  /** Takes what is in `text` from `start` to `end`: a line that is not blank. */
  #takeField(text: string, start: number, end: number): void {
    // Most lines are this one: their name need not be made.
    if (text.startsWith("data:", start)) {
      const from = start + (text.charCodeAt(start + 5) === space ? 6 : 5);
      this.#addData(text.slice(Math.min(from, end), end));
      return;
    }
    const line = text.slice(start, end);
    const colon = line.indexOf(":");
    // What a comment takes is not kept.
    if (colon === 0) {
      this.#length -= line.length;
      this.#listener.onComment?.(line.slice(line.charCodeAt(1) === space ? 2 : 1));
      return;
    }
    const name = colon === -1 ? line : line.slice(0, colon);
    const from = line.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1;
    const value = colon === -1 ? "" : line.slice(from);
    if (name === "data") this.#addData(value);
    else if (name === "event") this.#type = value;
    else if (name === "id") {
      if (value.includes("\0")) return;
      this.#id = value;
      this.#hasNewId = true;
    } else if (name === "retry" && digits.test(value)) {
      this.#retryMs = this.reconnectionMs = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
      this.#listener.onRetry?.(this.#retryMs);
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#length++;
  }

  #dispatch(receiver: SseReceiver): boolean {
    const data = this.#data;
    const type = this.#type || "message";
    this.lastEventId = this.#id;
    this.#data = undefined;
    this.#type = "";
    this.#length = 0;
    // Not before the event has ended: a reader that went on from the id of half an event would miss it.
    if (this.#hasNewId) this.#listener.onId?.(this.#id);
    this.#hasNewId = false;
    if (data === undefined) return false;
    const event = { type, data, lastEventId: this.#id };
    const retryMs = this.#retryMs;
    this.#retryMs = undefined;
    receiver.enqueue(retryMs === undefined ? event : { ...event, retryMs });
    return true;
  }
}
