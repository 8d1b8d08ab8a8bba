import { reader } from "../../src/stages/reader.ts";
import { limitWaits } from "./limit_waits.ts";
import type { RowBatch } from "./row_batch.ts";
import { Slices } from "./slices.ts";
import type { CursorOptions, RowSource } from "./source.ts";
import type { Span } from "./span.ts";

/** How `readParts` reads. */
export interface ReadPartsOptions extends Omit<CursorOptions, "part" | "isFirst"> {
  /** What is read; `undefined` is everything. */
  readonly span: Span | undefined;
  /** How many cursors read at the same time. */
  readonly cursors: number;
  /** How many bytes each may be ahead. */
  readonly aheadBytes: number;
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
 * Reads a span by several cursors, all of them ahead at the same time, and hands on rows in the order of all: the span
 * is cut into slices that follow each other, as large as a cursor may be ahead, and as soon as one is handed on
 * another is begun.
 */
export async function* readParts(
  source: RowSource,
  { span, cursors, aheadBytes, timeoutMs, ...options }: ReadPartsOptions,
): AsyncGenerator<RowBatch, void> {
  const read = (part: Span | undefined, isFirst: boolean) => {
    const batches = source.read({ ...options, part, isFirst });
    return Symbol.iterator in batches ? batches : inTime(batches, timeoutMs, source.name);
  };
  // One alone has nobody to wait for.
  if (span === undefined || cursors === 1) return yield* read(span, true);
  const slices = new Slices(span, cursors, aheadBytes);
  const open: { readonly slice: Span; readonly batches: ReadableStream<RowBatch> }[] = [];
  const openNext = () => {
    const slice = slices.next();
    if (slice === undefined) return;
    const batches = reader(read(slice, slice.from === span.from), {
      highWaterMark: aheadBytes,
      size: ({ bytes }) => bytes,
    });
    open.push({ slice, batches });
  };
  try {
    for (let count = 0; count < cursors; count++) openNext();
    while (open.length > 0) {
      const { slice, batches } = open[0]!;
      let bytes = 0;
      for await (const batch of batches) {
        bytes += batch.bytes;
        yield batch;
      }
      open.shift();
      slices.note(slice, bytes);
      openNext();
    }
  } finally {
    // One that failed cannot be cancelled, and has closed its cursor already.
    await Promise.allSettled(open.map(({ batches }) => batches.cancel()));
  }
}
