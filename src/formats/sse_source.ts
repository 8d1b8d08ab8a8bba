import { checkDelay } from "../check_delay.ts";
import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { checkSignal } from "../check_signal.ts";
import { defaultMaxEventLength } from "./default_max_event_length.ts";
import { checkSseListener, sseListenerOptions } from "./check_sse_listener.ts";
import { SseConnection } from "./sse_connection.ts";
import type { SseListener } from "./sse_listener.ts";
import type { SseEvent } from "./sse_event.ts";

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
  checkOptions(action, options, [
    ...["lastEventId", "retryMs", "maxFailures", "maxEventLength", "signal", ...sseListenerOptions],
  ]);
  const { lastEventId = "", retryMs = 3000, maxFailures = Infinity, signal } = options;
  const { maxEventLength = defaultMaxEventLength } = options;
  if (typeof lastEventId !== "string") {
    throwTypeError(action, "lastEventId", "a string", lastEventId);
  }
  if (/[\r\n\0]/.test(lastEventId)) {
    throw new RangeError(`Cannot ${action}: lastEventId must have no line break and no U+0000`);
  }
  checkDelay(action, "retryMs", retryMs);
  checkInteger(action, "maxFailures", maxFailures, 1, true);
  checkInteger(action, "maxEventLength", maxEventLength, 1, true);
  if (signal !== undefined) checkSignal(action, "signal", signal);
  const listener = checkSseListener(action, options);
  const connect = typeof input === "function"
    ? input
    : (headers: Headers, signal: AbortSignal) =>
      fetch(input, { headers, signal, cache: "no-store" });
  return new ReadableStream(
    new SseConnection({
      connect,
      lastEventId,
      retryMs,
      maxFailures,
      maxEventLength,
      listener,
      signal,
    }),
    { highWaterMark: 0 },
  );
}
