import { fstatSync, readFileSync, statSync } from "node:fs";
import type { Output } from "./output.ts";
import { writeFully } from "./write_fully.ts";

const standardOutputDescriptor = 1;
const readAndWrite = 2;

/**
 * Whether standard output was closed when this process began. Runtimes then put /dev/null in its place, opened to be
 * read and written, which a shell does not for `>/dev/null`.
 */
export function isStandardOutputClosed(): boolean {
  try {
    const stats = fstatSync(standardOutputDescriptor);
    if (!stats.isCharacterDevice() || stats.rdev !== statSync("/dev/null").rdev) return false;
    const info = readFileSync(`/proc/self/fdinfo/${standardOutputDescriptor}`, "utf8");
    return (parseInt(/^flags:\s*(\d+)/m.exec(info)![1]!, 8) & 3) === readAndWrite;
  } catch (error) {
    return (error as { code?: unknown }).code === "EBADF";
  }
}

/**
 * This process's standard output, which other commands may read. A write that is not taken cannot be called back: where
 * `signal` aborts it is given up, and holds a thread until the process exits.
 */
export function standardOutput(signal: AbortSignal): Output {
  return {
    name: "standard output",
    hasOldContent: false,
    write(bytes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort);
      writeFully(standardOutputDescriptor, bytes, signal).then(resolve, reject);
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}
