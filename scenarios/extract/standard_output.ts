import type { Output } from "./output.ts";
import { writeFully } from "./write_fully.ts";

const standardOutputDescriptor = 1;

/**
 * This process's standard output, which other commands may read. A write that nobody takes cannot be
 * called back: where `signal` aborts it is given up, and holds a thread until the process exits.
 */
export function standardOutput(signal: AbortSignal): Output {
  return {
    name: "standard output",
    write(bytes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort);
      writeFully(standardOutputDescriptor, bytes).then(resolve, reject);
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}
