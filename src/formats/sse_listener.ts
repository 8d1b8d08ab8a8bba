/** Is called with what a stream of events says besides events, as soon as it has said it; what it throws fails the stream. */
export interface SseListener {
  /** Gets each comment, without its colon and a space after that. Default: comments are left out. */
  onComment?: ((text: string) => void) | undefined;
  /** Gets the id of what a blank line has ended, as that ends, also if it has no data. Default: an event has the last. */
  onId?: ((id: string) => void) | undefined;
  /** Gets each time to wait before connecting again, in milliseconds. Default: the next event has it. */
  onRetry?: ((retryMs: number) => void) | undefined;
}
