import { checkFunction } from "../errors.ts";

/** Is called with what a stream of events says besides events, as soon as it has said it; what it throws fails the stream. */
export interface SseListener {
  /** Gets each comment, without its colon and a space after that. Default: comments are left out. */
  onComment?: ((text: string) => void) | undefined;
  /** Gets the id of what a blank line has ended, as that ends, also if it has no data. Default: an event has the last. */
  onId?: ((id: string) => void) | undefined;
  /** Gets each time to wait before connecting again, in milliseconds. Default: the next event has it. */
  onRetry?: ((retryMs: number) => void) | undefined;
}

/** The options that say who is called. */
export const sseListenerOptions = ["onComment", "onId", "onRetry"] as const;

/** Takes from options who is called, so that a change of them does not matter later. */
export function checkSseListener(action: string, options: SseListener): SseListener {
  for (const name of sseListenerOptions) {
    if (options[name] !== undefined) checkFunction(action, name, options[name]);
  }
  const { onComment, onId, onRetry } = options;
  return { onComment, onId, onRetry };
}
