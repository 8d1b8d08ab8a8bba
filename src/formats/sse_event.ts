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
