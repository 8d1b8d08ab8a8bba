import type { Piece } from "../piece.ts";
import type { Span } from "../span.ts";
import type { PartEnd, ReaderThread } from "./reader_thread.ts";
import { Rounds } from "./rounds.ts";

/** How `readByThreads` reads. */
export interface ReadByThreadsOptions {
  readonly span: Span;
  /** Those besides this one. */
  readonly threads: readonly ReaderThread[];
  /** Bytes that each part should have. */
  readonly partBytes: number;
  /** Reads a part in this thread. */
  read(part: Span, isFirst: boolean): Iterable<Piece>;
  /** Called with what others have read, for each part. */
  onPartEnd(end: PartEnd): void;
}

/**
 * Reads a span in this thread and in others at the same time: this one passes on its own rows, then
 * the bytes that the others have made of what follows them.
 */
export async function* readByThreads(
  { span, threads, partBytes, read, onPartEnd }: ReadByThreadsOptions,
): AsyncGenerator<Piece, void> {
  const rounds = new Rounds(span, threads.length, partBytes);
  const dealNext = () => {
    const parts = rounds.next();
    for (const [index, part] of parts.slice(1).entries()) threads[index]!.deal(part);
    return parts;
  };
  // While one round is passed on, the others read the next.
  for (let round = dealNext(), next = dealNext(); round.length > 0;) {
    yield* read(round[0]!, round[0]!.from === span.from);
    const sums = { bytes: 0, waitedMs: 0, stalledMs: 0 };
    for (const thread of threads.slice(0, round.length - 1)) {
      const pieces = thread.take();
      let result = await pieces.next();
      for (; !result.done; result = await pieces.next()) {
        sums.bytes += (result.value.text as Uint8Array).length;
        yield result.value;
      }
      onPartEnd(result.value);
      sums.waitedMs += result.value.waitedMs;
      sums.stalledMs += result.value.stalledMs;
    }
    rounds.note(sums.bytes / threads.length, sums);
    round = next;
    next = dealNext();
  }
}
