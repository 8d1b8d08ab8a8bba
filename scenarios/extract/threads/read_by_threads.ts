import type { MessageRow } from "../message_row.ts";
import type { Period } from "../period.ts";
import type { Piece } from "../piece.ts";
import type { Skipped } from "../skipped.ts";
import type { ReaderThread } from "./reader_thread.ts";
import { Rounds } from "./rounds.ts";

/** How `readByThreads` reads. */
export interface ReadByThreadsOptions {
  readonly period: Period;
  /** Those besides this one. */
  readonly threads: readonly ReaderThread[];
  /** Bytes that each part should have. */
  readonly partBytes: number;
  /** Reads a part in this thread. */
  read(part: Period, isFirst: boolean):
    | Iterable<readonly MessageRow[]>
    | AsyncIterable<readonly MessageRow[]>;
  /** Called for what others have left out. */
  onSkipped(skipped: Skipped): void;
}

/**
 * Reads a period in this thread and in others at the same time: this one hands on its own rows, then
 * the bytes that the others have made of what follows them.
 */
export async function* readByThreads(
  { period, threads, partBytes, read, onSkipped }: ReadByThreadsOptions,
): AsyncGenerator<readonly MessageRow[] | Piece, void> {
  const rounds = new Rounds(period, threads.length, partBytes);
  const dealNext = () => {
    const parts = rounds.next();
    for (const [index, part] of parts.slice(1).entries()) threads[index]!.deal(part);
    return parts;
  };
  // While one round is handed on, the others read the next.
  for (let round = dealNext(), next = dealNext(); round.length > 0;) {
    yield* read(round[0]!, round[0]!.fromMs === period.fromMs);
    const sums = { bytes: 0, waitedMs: 0, stalledMs: 0 };
    for (const thread of threads.slice(0, round.length - 1)) {
      const pieces = thread.take();
      let result = await pieces.next();
      for (; !result.done; result = await pieces.next()) {
        sums.bytes += result.value.text.length;
        yield result.value;
      }
      onSkipped(result.value.skipped);
      sums.waitedMs += result.value.waitedMs;
      sums.stalledMs += result.value.stalledMs;
    }
    rounds.note(sums.bytes / threads.length, sums);
    round = next;
    next = dealNext();
  }
}
