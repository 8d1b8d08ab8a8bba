/** What an event is written of; a string stands for its data. An `SseEvent` is one. */
export interface SseMessage {
  /** The type, without a line break. Default: `"message"`. */
  readonly type?: string | undefined;
  /** The text; `\r\n` and `\r` within it are read as `\n`. Default: none, which is no event to who listens. */
  readonly data?: string | undefined;
  /**
   * The id that a reader sends when it connects again, without a line break or U+0000; `""` makes it forget the last.
   * Default: that of the event before.
   */
  readonly lastEventId?: string | undefined;
  /** How long a reader waits before it connects again, in milliseconds. Default: as it was. */
  readonly retryMs?: number | undefined;
  /** What readers leave out. Default: none. */
  readonly comment?: string | undefined;
}
