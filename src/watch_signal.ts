import { shareListener } from "./share_listener.ts";

/** Calls back once the signal aborts; gives the function that stops watching. */
export const watchSignal: (signal: AbortSignal, aborted: () => void) => () => void = shareListener(
  (signal, listener) => signal.addEventListener("abort", listener),
  (signal, listener) => signal.removeEventListener("abort", listener),
);
