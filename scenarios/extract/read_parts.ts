import { reader } from "../../src/sources/reader.ts";
import { inTime } from "./in_time.ts";
import { makeEach } from "./make_each.ts";
import type { Piece } from "./piece.ts";
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
  /** Makes text of rows. */
  toPiece(batch: RowBatch): Piece;
  /** Reads a part as lines that the source makes itself; `undefined`: it cannot. */
  readLines(part: Span | undefined): Iterable<Piece> | AsyncIterable<Piece> | undefined;
}

/** What a cursor has read and has not been taken yet. */
interface Held {
  readonly piece: Piece;
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * Rows that have to wait for those before them are held as their bytes: as values they would be many times as large,
 * and live long enough to be garbage that is seldom collected. One too large for that waits as it is.
 */
function hold(piece: Piece): Held {
  if (piece.text instanceof Uint8Array) {
    const { text, release, ...rest } = piece;
    const { length: bytes } = text;
    if (2 * bytes >= text.buffer.byteLength) return { piece, bytes };
    // The rest of its memory is not to wait with it.
    const copy = new Uint8Array(text);
    release?.();
    return { piece: { ...rest, text: copy }, bytes };
  }
  if (typeof piece.text !== "string") return { piece, bytes: piece.heldBytes ?? 0 };
  const text = encoder.encode(piece.text);
  return { piece: { ...piece, text }, bytes: text.length };
}

/**
 * Reads a span by several cursors, all of them ahead at the same time, and passes on rows in the order of all: the span
 * is cut into slices that follow each other, as large as a cursor may be ahead, and as soon as one is passed on
 * another is begun.
 */
export async function* readParts(
  source: RowSource,
  { span, cursors, aheadBytes, timeoutMs, toPiece, readLines, ...options }: ReadPartsOptions,
): AsyncGenerator<Piece, void> {
  const read = <Made>(
    part: Span | undefined,
    isFirst: boolean,
    make: (piece: Piece) => Made,
  ): Iterable<Made> | AsyncIterable<Made> => {
    const makeInTime = <From>(
      all: Iterable<From> | AsyncIterable<From>,
      make: (one: From) => Made,
    ) => Symbol.iterator in all ? makeEach(all, make) : inTime(all, make, timeoutMs, source.name);
    const lines = readLines(part);
    if (lines !== undefined) return makeInTime(lines, make);
    const batches = source.read({ ...options, part, isFirst });
    return makeInTime(batches, (batch) => make(toPiece(batch)));
  };
  // One alone has nothing to wait for.
  if (span === undefined || cursors === 1) return yield* read(span, true, (piece) => piece);
  const slices = new Slices(span, cursors, aheadBytes);
  const open: { readonly slice: Span; readonly pieces: ReadableStream<Held> }[] = [];
  const openNext = () => {
    const slice = slices.next();
    if (slice === undefined) return;
    const pieces = reader(read(slice, slice.from === span.from, hold), {
      highWaterMark: aheadBytes,
      size: ({ bytes }) => bytes,
    });
    open.push({ slice, pieces });
  };
  try {
    for (let count = 0; count < cursors; count++) openNext();
    while (open.length > 0) {
      const { slice, pieces } = open[0]!;
      let sum = 0;
      for await (const { piece, bytes } of pieces) {
        sum += bytes;
        yield piece;
      }
      open.shift();
      slices.note(slice, sum);
      openNext();
    }
  } finally {
    // One that failed cannot be cancelled, and has closed its cursor already.
    await Promise.allSettled(open.map(({ pieces }) => pieces.cancel()));
  }
}
