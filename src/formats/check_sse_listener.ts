import { checkFunction } from "../errors.ts";
import type { SseListener } from "./sse_listener.ts";

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
