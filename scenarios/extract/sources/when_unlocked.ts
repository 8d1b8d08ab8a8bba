import { setTimeout as wait } from "node:timers/promises";

/** Whether SQLite has refused for a lock that another connection holds now. */
function isBusy(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  if (errcode !== undefined) return (errcode & 0xff) === 5 || (errcode & 0xff) === 6;
  return /database (?:table |schema )?is locked/.test(message ?? "");
}

const pauseMs = 25;

/**
 * Calls `use` until no other connection's lock is in its way. Waiting leaves the event loop free, where SQLite's own
 * busy handler would hold the thread, Ctrl-C too.
 *
 * @throws {Error} If the lock is not gone after `timeoutMs`.
 * @throws The signal's reason, if it aborts.
 */
export async function whenUnlocked<Result>(
  use: () => Result,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Result> {
  for (const startedAtMs = performance.now();;) {
    try {
      return use();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (performance.now() - startedAtMs >= timeoutMs) {
        throw new Error(`it was locked for ${timeoutMs / 1000} s`, { cause });
      }
    }
    await wait(pauseMs);
    signal?.throwIfAborted();
  }
}
