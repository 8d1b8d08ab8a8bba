import { reader } from "../../src/stages/reader.ts";
import { limitWaits } from "./limit_waits.ts";
import type { RowBatch } from "./row_batch.ts";
import type { CursorOptions, RowSource } from "./source.ts";
import type { Span } from "./span.ts";

/** How `readParts` reads. */
export interface ReadPartsOptions extends Omit<CursorOptions, "part" | "isFirst"> {
  /** Spans that follow each other; `undefined` is everything. */
  readonly parts: readonly (Span | undefined)[];
  /** How many batches each cursor may be ahead. */
  readonly highWaterMark: number;
  /** How long to wait for a batch, in milliseconds. */
  readonly timeoutMs: number;
}

/** Hands on what comes, as long as it comes in time. */
async function* inTime(
  batches: AsyncIterable<RowBatch>,
  timeoutMs: number,
  name: string,
): AsyncGenerator<RowBatch, void> {
  const iterator = batches[Symbol.asyncIterator]();
  let isStalled = false;
  try {
    while (true) {
      isStalled = true;
      const next = await limitWaits(iterator.next(), timeoutMs, name);
      isStalled = false;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // One that is waited for would not hear of it before it has an answer.
    if (!isStalled) await iterator.return?.();
  }
}

/**
 * Reads parts by cursors of their own, all of them ahead at the same time, and hands on their rows one part after the
 * other: since the parts follow each other, that is their order.
 */
export async function* readParts(
  source: RowSource,
  { parts, highWaterMark, timeoutMs, ...options }: ReadPartsOptions,
): AsyncGenerator<RowBatch, void> {
  const reads = parts.map((part, index) => source.read({ ...options, part, isFirst: index === 0 }));
  // One that answers at once gains nothing by being ahead.
  if (reads.every((read) => Symbol.iterator in read)) {
    for (const read of reads) yield* read;
    return;
  }
  const timed = (reads as AsyncIterable<RowBatch>[]).map((read) =>
    inTime(read, timeoutMs, source.name)
  );
  // One alone has nobody to wait for.
  if (timed.length === 1) return yield* timed[0]!;
  const streams = timed.map((read) => reader(read, { highWaterMark }));
  try {
    for (const stream of streams) yield* stream;
  } finally {
    // One that failed cannot be cancelled, and has closed its cursor already.
    await Promise.allSettled(streams.map((stream) => stream.cancel()));
  }
}
